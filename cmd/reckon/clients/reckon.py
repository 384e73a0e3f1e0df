"""Asks a Reckon service for calculations.

This is one file that needs Python 3.9 and nothing but its standard library: copy it beside your program.

    import os, reckon

    client = reckon.Client("https://reckon.example.com", os.environ["RECKON_KEY"])
    answer = client.calculate(domain, "How long for 150 miles at 60 mph?")
    print(reckon.target(answer)["value"])                  # "2.5 h", exact, with its unit
    print(reckon.shown(reckon.target(answer)))             # as people read it

    what_if = client.calculate(
        domain, inputs={"speed": "75 mi/h"}, calculate="time", unit="min", conversation=answer["conversation_id"]
    )

    try:
        client.calculate(domain, "distanse: 150 mi\\ncalculate: time")
    except reckon.CalculationError as error:
        print(error)                                       # Unknown variable "distanse". Did you mean "distance"?

    for event in client.events(answer["conversation_id"]):
        print(event["type"], event["data"])                # as it happens

Answers are dictionaries with the members that the service documents at /openapi.yaml. A call is sent again when it may
have been lost or there was no room for it, with the same Idempotency-Key, so that nothing is calculated twice.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import random
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from email.message import Message as Headers
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import (
    IO, Any, Dict, Generator, Iterator, List, Mapping, NoReturn, Optional, Sequence, TypedDict, Union, cast, overload,
)

__all__ = [
    "CalculationError", "Client", "ReckonError", "RequestError", "StreamEvent", "UnansweredError",
    "problem_text", "show", "show_scalar", "shown", "target", "variable",
]

#: A number with its unit; a table is a list of them, or a list of rows of them.
Value = Union[str, List[str], List[List[str]]]
#: A value as it may be given.
Input = Union[str, Sequence[str], Sequence[Sequence[str]]]


class Domain(TypedDict):
    """What can be asked."""

    id: str
    title: str
    description: str


class DomainVariable(TypedDict):
    """A variable of a domain. Without a default, default_value is ""."""

    id: str
    key: str
    title: str
    description: str
    default_value: Value
    kind: str
    format: Optional[str]


class Series(TypedDict):
    """A column of a table, or a series of a bar chart."""

    name: str
    kind: str
    format: Optional[str]


class Display(TypedDict, total=False):
    """How a value is shown. Which members there are depends on data_type."""

    data_type: str  # number, table, bar_chart, pie_chart
    kind: str  # number, no_separator, percent, duration, date, datetime, time
    format: Optional[str]  # decimals_2, date_med, duration_hms, …; None is that of the kind
    start_row_index: int
    columns: List[Series]
    rows: Dict[str, List[str]]
    series_by: str  # columns or rows
    stacked: bool
    x_axis: Dict[str, str]
    labels: Dict[str, Any]
    series: List[Series]
    slices: Dict[str, List[str]]


class _Variable(TypedDict):
    id: str
    key: str
    title: str
    description: str
    source: str  # user_input, calculated, default_value
    historical: bool  # carried from another scenario
    value: Value  # exact; it can be given as an input
    display: Display


class Variable(_Variable, total=False):
    """A value of a result, and where it comes from. scale… are those of charts whose cells have several units."""

    scale: List[Any]
    scale_unit: str
    scale_incompatible: bool
    scale_types: List[str]


class Activity(TypedDict):
    """An equation that explains values."""

    id: str
    title: str
    description: str
    equation: str
    state: str  # active or disabled
    variables: List[Dict[str, Any]]


class Results(TypedDict):
    """The values of a scenario, what was asked for first."""

    action: str  # new, extend, discard (a what-if), fetch
    scenario: Dict[str, int]  # original and current
    activities: List[Activity]
    variables: List[Variable]
    calculated: Optional[str]  # id of the variable asked for


class MissingVariable(TypedDict):
    """A variable whose value would help."""

    id: str
    key: str
    title: str


class Alternative(TypedDict):
    """Variables whose values, all together, make the answer possible."""

    variables: List[MissingVariable]


class _Problem(TypedDict):
    code: str  # input.unknown_variable, calculation.missing_inputs, …
    message: str  # a template: problem_text fills it


class Problem(_Problem, total=False):
    """One reason why there is no answer."""

    args: List[str]
    offset: int  # of input.syntax_error: the place in args[0], in characters
    missing: List[Alternative]


class _Message(TypedDict):
    conversation_id: str
    message_id: str
    idempotency_key: Optional[str]
    status: str  # completed, in_progress, error
    source: str  # api or chat
    input_format: str  # natural_language, structured, json
    structured_text: Optional[str]
    domain: Optional[Domain]
    created_at: str
    updated_at: str
    version: int


class Message(_Message, total=False):
    """A question and its answer."""

    natural_language: Optional[str]
    parsed_json: Dict[str, Any]
    results: Results
    errors: List[Problem]


class ConversationItem(TypedDict):
    """A conversation as a list has it."""

    id: str
    title: Optional[str]
    notes: Optional[str]
    domain_id: Optional[str]
    last_activity_at: str


class Conversation(TypedDict):
    """A conversation with its messages, the oldest first."""

    conversation_id: str
    title: Optional[str]
    notes: Optional[str]
    domain: Optional[Domain]
    current_scenario_index: Optional[int]
    last_scenario_index: Optional[int]
    last_activity_at: str
    messages: List[Message]


class Scenario(TypedDict):
    """All values of a scenario. Its id is its index."""

    id: int
    domains: List[Domain]
    activities: List[Activity]
    variables: List[Variable]


class StreamEvent(TypedDict):
    """What becomes of a conversation. Client.events goes on behind an event with its id as after.

    The type is message.started, message.completed or message.failed, and data a Message; conversation.described, with title
    and notes; or conversation.erased. All data has conversation_id.
    """

    id: str
    type: str
    data: Dict[str, Any]


class ReckonError(Exception):
    """What all errors of this module are. Its text is a sentence for people."""


class CalculationError(ReckonError):
    """An answer that has no result. Its text has a sentence for each problem."""

    def __init__(self, message: Message):
        self.message = message
        self.problems: List[Problem] = message.get("errors", [])
        super().__init__(" ".join(problem_text(p) for p in self.problems))

    def has(self, code: str) -> bool:
        """Whether a problem of the code is among the reasons."""
        return any(p["code"] == code for p in self.problems)


class RequestError(ReckonError):
    """A request that the service refused, or failed to answer.

    code is error_unauthorized, error_not_found, …, or "" where it is not the service that answered; request_id finds the
    request in the logs of the service; retry_after says in how many seconds to ask again, None where nothing is said.
    """

    def __init__(self, text: str, status: int, code: str = "", request_id: str = "", retry_after: Optional[float] = None):
        self.status, self.code, self.request_id, self.retry_after = status, code, request_id, retry_after
        super().__init__(text)


class UnansweredError(ReckonError):
    """A request that has no answer: the service was not reached, the time was over, or the call was cancelled.

    What was asked may still be calculated: ask again with the idempotency_key for its answer.
    """

    idempotency_key: Optional[str] = None


_PLACE = re.compile(r"%arg(\d+)%", re.ASCII)


def problem_text(problem: Problem) -> str:
    """The sentence of a problem: its message with the arguments in their places, filled in one pass.

    A place without an argument stays as it is.
    """
    args = problem.get("args", [])

    def fill(place: "re.Match[str]") -> str:
        number = place.group(1)
        if len(number) > 9 or int(number) >= len(args):
            return place.group()
        arg = args[int(number)]
        return "no unit" if problem["code"] == "input.incompatible_units" and arg == "1" else arg

    return _PLACE.sub(fill, problem["message"])


def variable(message: Message, key: str) -> Variable:
    """The value of a variable in an answer by its key. KeyError where it has none."""
    for found in message["results"]["variables"] if "results" in message else []:
        if found["key"] == key:
            return found
    raise KeyError(key)


def target(message: Message) -> Variable:
    """The variable that was asked for, the first of several. KeyError where there is none."""
    if "results" in message:
        for found in message["results"]["variables"]:
            if found["id"] == message["results"]["calculated"]:
                return found
    raise KeyError("the message has no target")


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would be given the key."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


class _Answer:
    def __init__(self, status: int, headers: "Headers[str, str]", body: bytes):
        self.status, self.body = status, body
        self.request_id = headers.get("X-Request-Id") or ""
        after = headers.get("Retry-After") or ""
        self.retry_after = float(after) if re.fullmatch(r"[0-9]{1,9}", after) else None

    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise self.stranger() from None

    def stranger(self) -> RequestError:
        return RequestError("What answers at this address is not a Reckon service.", self.status, "", self.request_id)

    def refusal(self) -> RequestError:
        code, text = "", ""
        try:
            said = json.loads(self.body)["error"]
            code, text = str(said["code"]), str(said["message"])
        except (ValueError, LookupError, TypeError):
            text = f"The service answered {self.status}."
        return RequestError(text, self.status, code, self.request_id, self.retry_after)


class _Frames:
    """Reads server-sent events out of the pieces of a stream, as the HTML standard has them.

    It stays over all connections of a stream: id is that of the last event, retry how soon the service wants it back, heard
    whether it has said anything, and over that it says it will say no more.
    """

    def __init__(self, after: str):
        self.id, self.retry, self.heard, self.over = after, 0.0, False, False
        self.begin()

    def begin(self) -> None:
        """A new connection. What was cut off counts for nothing."""
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line: List[str] = []
        self._after_cr, self._size = False, 0
        self._drop()

    def _drop(self) -> None:
        self._id: Optional[str] = None
        self._type = ""
        self._data: List[str] = []

    def read(self, piece: bytes) -> Iterator[StreamEvent]:
        """Take a piece, and give the events that it ends. ValueError where they are none of the service."""
        text = self._decoder.decode(piece)
        self._size += len(text)
        if self._size > _MAX_EVENT:
            raise ValueError
        if not text:
            return
        if self._after_cr and text[0] == "\n":
            text = text[1:]
        self._after_cr = text.endswith("\r")
        *lines, rest = _LINE_END.split(text)
        for line in lines:
            self._line.append(line)
            line = "".join(self._line)
            self._line = []
            if line:
                self._field(line)
            else:
                self._size = 0
                event = self._event()
                if event is not None:
                    yield event
        self._line.append(rest)

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and (value == "" or _WORD.fullmatch(value)):  # what no header can carry leads nowhere
            self._id = value
        elif name == "retry" and re.fullmatch(r"[0-9]+", value):
            self.retry = min(float(value[:9]) / 1000, 30)

    def _event(self) -> Optional[StreamEvent]:
        id, type, data = self._id, self._type or "message", self._data
        self._drop()
        repeated = bool(id) and id == self.id
        self.id = self.id if id is None else id
        if not data or repeated:
            return None
        said = json.loads("\n".join(data))
        if not isinstance(said, dict):
            raise ValueError
        return {"id": self.id, "type": type, "data": cast(Dict[str, Any], said)}


_LINE_END = re.compile(r"\r\n|\r|\n")
_MAX_EVENT = 16 << 20  # characters that an event may have
_PASSING = (408, 429, 502, 503, 504)  # statuses of what passes by itself
_ATTEMPT = 30.0  # seconds that an attempt may take
_WORD = re.compile(r"[!-~]+")


class Client:
    """Asks one service with one API key. Several threads may use it at once.

    url is the address of the service, key an API key (reckon_live_…), timeout how many seconds a call may take with all its
    attempts, and retries how many attempts may follow the first one.
    """

    def __init__(self, url: str, key: str, *, timeout: float = 60, retries: int = 4):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{url!r} is no address of a service: give one such as https://reckon.example.com")
        if not _WORD.fullmatch(key):
            raise ValueError("an API key has visible ASCII characters alone")
        self.url, self.timeout, self.retries = url.rstrip("/"), timeout, retries
        self._key = key
        self._opener = urllib.request.build_opener(_Stay)

    @overload
    def calculate(
        self, domain: str, prompt: str, *, conversation: Optional[str] = None, input_format: Optional[str] = None,
        time_zone: Optional[str] = None, language: Optional[str] = None, idempotency_key: Optional[str] = None,
        wait: bool = True, timeout: Optional[float] = None, cancel: Optional[threading.Event] = None,
    ) -> Message: ...

    @overload
    def calculate(
        self, domain: str, *, inputs: Optional[Mapping[str, Input]] = None, calculate: Union[str, Sequence[str], None] = None,
        unit: Optional[str] = None, scenario: Optional[str] = None, conversation: Optional[str] = None,
        time_zone: Optional[str] = None, idempotency_key: Optional[str] = None, timeout: Optional[float] = None,
        cancel: Optional[threading.Event] = None,
    ) -> Message: ...

    def calculate(
        self, domain: str, prompt: Optional[str] = None, *, inputs: Optional[Mapping[str, Input]] = None,
        calculate: Union[str, Sequence[str], None] = None, unit: Optional[str] = None, scenario: Optional[str] = None,
        conversation: Optional[str] = None, input_format: Optional[str] = None, time_zone: Optional[str] = None,
        language: Optional[str] = None, idempotency_key: Optional[str] = None, wait: bool = True, timeout: Optional[float] = None,
        cancel: Optional[threading.Event] = None,
    ) -> Message:
        """Ask a question and wait for its answer, also of prose.

        The question is a prompt: prose, structured text ("distance: 150 mi\\ncalculate: time") or the text of JSON. Or it is
        made of inputs, which are values by the keys of variables, each with its unit in it, lists for tables and "" to clear
        a value that is carried; of what to calculate, one key or several, in a unit where one is asked for; and of a
        scenario ("new", "current", "last", "2", "new from 2"). Without calculate it is the last question again.

        conversation goes on with a conversation. idempotency_key names the question: the same key and question are answered
        alike and calculated once, for 24 hours; without it the key is random. language is that of a prompt in prose and of
        its answer ("en", "de"); without it the account's, or the domain's. With wait=False the answer to prose may have
        the status in_progress: wait for it with Client.wait. Setting cancel ends the call between attempts.

        An answer without a result is a CalculationError; other errors are RequestError and UnansweredError.
        """
        if prompt is None:
            asked: Dict[str, Any] = {"inputs": [{"key": key, "value": value} for key, value in (inputs or {}).items()]}
            if calculate is not None:
                keys = [calculate] if isinstance(calculate, str) else list(calculate)
                asked["calculate"] = [{"key": key, "unit": unit} for key in keys]
            if scenario is not None:
                asked["scenario"] = scenario
            prompt, input_format = json.dumps(asked, ensure_ascii=False), "json"
        elif inputs is not None or calculate is not None or scenario is not None or unit is not None:
            raise ValueError("a question is a prompt, or inputs, calculate, unit and scenario, not both")
        body = {
            "domain_id": domain, "prompt": prompt, "conversation_id": conversation, "input_format": input_format,
            "time_zone": time_zone, "language": language,
        }
        key = idempotency_key or uuid.uuid4().hex
        if not _WORD.fullmatch(key):
            raise ValueError("an Idempotency-Key has visible ASCII characters alone")
        headers = {"Content-Type": "application/json", "Idempotency-Key": key, "Prefer": "wait=10" if wait else "respond-async"}
        sent = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        end = self._end(timeout)
        try:
            while True:
                answer = self._send("POST", "/v1/calculate", headers, sent, end, cancel)
                message = cast(Message, answer.json())
                if message["status"] == "error":
                    raise CalculationError(message)
                if message["status"] != "in_progress" or not wait:
                    return message
                self._pause(max(answer.retry_after or 0, 1), end, cancel)
        except UnansweredError as error:
            error.idempotency_key = key
            raise

    def wait(
        self, message: Message, *, timeout: Optional[float] = None, cancel: Optional[threading.Event] = None
    ) -> Message:
        """Wait until a message is no longer in progress. It looks again after 50 ms, and ever later, up to each second."""
        end = self._end(timeout)
        again = 0.05
        while True:
            for found in self._messages(message["conversation_id"], end, cancel):
                if found["message_id"] == message["message_id"]:
                    if found["status"] == "error":
                        raise CalculationError(found)
                    if found["status"] != "in_progress":
                        return found
                    break
            self._pause(again, end, cancel)
            again = min(2 * again, 1)

    def events(
        self, conversation: Optional[str] = None, *, after: str = "", silence: float = _ATTEMPT,
        timeout: Optional[float] = None, cancel: Optional[threading.Event] = None,
    ) -> Iterator[StreamEvent]:
        """Follow what becomes of a conversation, or of all without one: each event once, in order.

        A conversation begins with its newest message, all of the account from now on; after is the id of an event to go on
        behind. A connection that is lost is made again and goes on behind the last event; of what happened meanwhile there is
        the newest state of each message. silence is after how many seconds without a word it counts as lost, and the service
        is silent for 15 at most; timeout is how many seconds a connection may be missing.

        It ends when the conversation is erased, and with an error when the service refuses it or is away for the timeout. To
        end it early leave the loop and close the iterator, or set cancel, which is an UnansweredError.
        """
        path = "/v1/events" if conversation is None else _conversation(conversation) + "/events"
        frames = _Frames(after)
        end = self._end(timeout)
        attempt = 0
        while True:
            pause = 0.0
            failed: ReckonError = UnansweredError("The service has ended the stream.")
            try:
                with contextlib.closing(self._stream(path, frames, silence, end, cancel)) as events:
                    for event in events:
                        yield event
                        if event["type"] == "conversation.erased" and conversation is not None:
                            return
                if frames.over:
                    return
            except RequestError as error:
                if error.status not in _PASSING:
                    raise
                failed, pause = error, error.retry_after or 0
            except (OSError, HTTPException) as error:
                failed = _lost(error)
            if frames.heard:
                frames.heard, attempt, end = False, 0, self._end(timeout)
            pause = max(pause, frames.retry, _backoff(attempt))
            if time.monotonic() + pause > end:
                raise failed
            self._pause(pause, end, cancel)
            attempt += 1

    def _stream(
        self, path: str, frames: _Frames, silence: float, end: float, cancel: Optional[threading.Event]
    ) -> Generator[StreamEvent, None, None]:
        """The events of one connection."""
        headers = {"Accept": "text/event-stream"}
        if frames.id:
            headers["Last-Event-ID"] = frames.id
        frames.begin()
        try:
            with self._request("GET", path, headers, None, silence, end, cancel) as response, _ends(response, cancel):
                answer = _Answer(response.status, response.headers, b"")
                frames.over = answer.status == 204
                if frames.over:
                    return
                if response.headers.get_content_type() != "text/event-stream":
                    raise answer.stranger()
                while True:
                    piece = response.read1(1 << 16)
                    if not piece:
                        break
                    frames.heard = True
                    try:
                        yield from frames.read(piece)
                    except (ValueError, RecursionError):
                        raise answer.stranger() from None
        except urllib.error.HTTPError as response:
            with response:
                raise _Answer(response.code, response.headers, response.read()).refusal() from None
        except (OSError, HTTPException):
            if cancel is not None and cancel.is_set():
                _cancelled()
            raise
        if cancel is not None and cancel.is_set():
            _cancelled()

    def conversations(self) -> Iterator[ConversationItem]:
        """List the conversations of the account, most recently active first, page by page."""
        cursor: Optional[str] = None
        while True:
            page = self.get("/v1/conversations", {"limit": "100", "starting_after": cursor})
            yield from page["conversations"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def messages(self, conversation: str) -> Iterator[Message]:
        """List the messages of a conversation, the newest first, page by page."""
        return self._messages(conversation, None, None)

    def _messages(self, conversation: str, end: Optional[float], cancel: Optional[threading.Event]) -> Iterator[Message]:
        cursor: Optional[str] = None
        while True:
            path = _conversation(conversation) + _query({"limit": "100", "starting_after": cursor})
            page = self._send("GET", path, {}, None, self._end(None) if end is None else end, cancel).json()
            for message in reversed(page["messages"]):
                message["conversation_id"] = page["conversation_id"]
                yield message
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def conversation(self, id: str) -> Conversation:
        """Read a conversation with all its messages."""
        found = cast(Conversation, self.get(_conversation(id)))
        for message in found["messages"]:
            message["conversation_id"] = found["conversation_id"]
        return found

    def scenarios(self, conversation: str) -> List[Scenario]:
        """Read all scenarios of a conversation, by their indexes."""
        return cast(List[Scenario], self.get(_conversation(conversation) + "/context")["scenarios"])

    def scenario(self, conversation: str, index: int) -> Scenario:
        """Read the scenario of an index."""
        return cast(Scenario, self.get(f"{_conversation(conversation)}/context/{index:d}")["scenario"])

    def explanation(self, conversation: str, message: str) -> str:
        """Say how the values of a message came about, in lines of text."""
        path = f"{_conversation(conversation)}/messages/{_part(message)}/explanation?format=text"
        return self._send("GET", path, {}, None, self._end(None), None).text()

    def domains(self) -> List[Domain]:
        """List the published domains."""
        return cast(List[Domain], self.get("/v1/domains")["domains"])

    def variables(self, domain: str) -> List[DomainVariable]:
        """List the variables of a domain."""
        return cast(List[DomainVariable], self.get(f"/v1/domains/{_part(domain)}/variables")["variables"])

    def get(self, path: str, query: Optional[Mapping[str, Optional[str]]] = None) -> Any:
        """Read what else there is (compare, sweep, sensitivity, …), by its path and parameters, as JSON."""
        return self._send("GET", path + _query(query or {}), {}, None, self._end(None), None).json()

    def _end(self, timeout: Optional[float]) -> float:
        return time.monotonic() + (self.timeout if timeout is None else timeout)

    def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes], end: float,
        cancel: Optional[threading.Event],
    ) -> _Answer:
        """Ask until there is an answer.

        It asks again where that is safe and may help: all that this client sends reads, or has an Idempotency-Key.
        """
        attempt = 0
        while True:
            after: Optional[float] = None
            failed: ReckonError
            try:
                answer = self._attempt(method, path, headers, body, end, cancel)
                if answer.status < 300:
                    return answer
                failed, after = answer.refusal(), answer.retry_after
                if answer.status not in _PASSING:
                    raise failed
            except (OSError, HTTPException) as error:
                failed = _lost(error)
            pause = _backoff(attempt) if after is None else after
            if attempt >= self.retries or time.monotonic() + pause > end:
                raise failed
            self._pause(pause, end, cancel)
            attempt += 1

    def _attempt(
        self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes], end: float,
        cancel: Optional[threading.Event],
    ) -> _Answer:
        patience = min(end - time.monotonic(), _ATTEMPT)
        try:
            with self._request(method, path, headers, body, patience, end, cancel) as response:
                return _Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as response:
            with response:
                return _Answer(response.code, response.headers, response.read())

    def _request(
        self, method: str, path: str, headers: Mapping[str, str], body: Optional[bytes], patience: float, end: float,
        cancel: Optional[threading.Event],
    ) -> HTTPResponse:
        if cancel is not None and cancel.is_set():
            _cancelled()
        if time.monotonic() >= end or patience <= 0:
            raise UnansweredError("The service has not answered in time.")
        request = urllib.request.Request(self.url + path, body, {"Body-Version": "2", **headers}, method=method)
        request.add_unredirected_header("Authorization", "Bearer " + self._key)
        return cast(HTTPResponse, self._opener.open(request, timeout=patience))

    @staticmethod
    def _pause(seconds: float, end: float, cancel: Optional[threading.Event]) -> None:
        left = end - time.monotonic()
        if cancel is not None:
            if cancel.wait(max(0, min(seconds, left))):
                _cancelled()
        elif left > 0:
            time.sleep(min(seconds, left))
        if seconds > left:
            raise UnansweredError("The service has not answered in time.")


@contextlib.contextmanager
def _ends(response: HTTPResponse, cancel: Optional[threading.Event]) -> Generator[None, None, None]:
    """Ends a response that is being read when cancel is set."""
    if cancel is None:
        yield
        return
    read = threading.Event()
    line = socket.fromfd(response.fileno(), socket.AF_INET, socket.SOCK_STREAM)

    def watch() -> None:
        with line:
            while not read.is_set():
                if cancel.wait(0.1):
                    with contextlib.suppress(OSError):
                        line.shutdown(socket.SHUT_RDWR)
                    return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        read.set()


def _backoff(attempt: int) -> float:
    """Half a second, then twice as long each time, and up to half of it less."""
    return 0.5 * 2 ** min(attempt, 4) * random.uniform(0.5, 1)


def _lost(error: Exception) -> UnansweredError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return UnansweredError(f"The service does not answer: {reason}")


def _cancelled() -> NoReturn:
    raise UnansweredError("The request was cancelled.")


def _part(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _conversation(id: str) -> str:
    return "/v1/conversations/" + _part(id)


def _query(query: Mapping[str, Optional[str]]) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return "?" + urllib.parse.urlencode(given) if given else ""


# What follows shows values as people read them. The texts are English and know no locale and no zone. Numbers are handled
# as their decimal digits, which have no rounding of their own.


@overload
def show(value: str, display: Display) -> str: ...
@overload
def show(value: List[str], display: Display) -> List[str]: ...
@overload
def show(value: List[List[str]], display: Display) -> List[List[str]]: ...
@overload
def show(value: Value, display: Display) -> Value: ...


def show(value: Value, display: Display) -> Value:
    """A value as people read it, cell by cell: "1234.5 USD" with decimals_2 is "1,234.50 USD".

    What cannot be read stands as it is.
    """
    series = display.get("columns", []) + display.get("series", [])
    by_rows = display.get("series_by") == "rows"

    def cell(text: str, row: int, column: int) -> str:
        at = row if by_rows else column
        if at < len(series):
            return show_scalar(text, series[at].get("kind"), series[at].get("format"))
        return show_scalar(text, display.get("kind"), display.get("format"))

    if isinstance(value, str):
        return cell(value, 0, 0)
    shown_rows: List[Any] = []
    for i, row in enumerate(value):
        shown_rows.append(cell(row, i, 0) if isinstance(row, str) else [cell(text, i, j) for j, text in enumerate(row)])
    return shown_rows


def shown(found: Variable) -> Value:
    """The value of a variable as people read it."""
    return show(found["value"], found["display"])


_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]{1,7}))?")
_DEFAULTS = {"duration": "duration_hms", "date": "date_med", "datetime": "datetime_med", "time": "time_simple"}
_TIMES = ("duration", "date", "datetime", "time")
_MOST_SECONDS = 8_640_000_000_000  # bounds dates and spans, as the Date of JavaScript is bounded


def show_scalar(value: str, kind: Optional[str] = None, format: Optional[str] = None) -> str:
    """One value as people read it, by its kind and format; None is the default of either."""
    number, _, unit = value.partition(" ")
    read = _NUMBER.fullmatch(number)
    if read is None or len(number) > 1000:
        return value  # an empty cell, today, now, and what a later service may send
    kind = kind or "number"
    format = format or _DEFAULTS.get(kind, "decimals_float")
    whole, fraction = read.group(2), read.group(3) or ""
    d = _Digits(read.group(1) == "-", whole + fraction, int(read.group(4) or 0) + len(whole))
    own = not unit or kind in _TIMES and unit == "s"
    text: Optional[str] = None
    if own and kind == "percent":
        return _Digits(d.negative, d.digits, d.point + 2).show(format, True) + "%"
    if own and kind == "duration":
        text = d.duration(format)
    elif own and kind in _TIMES:
        text = d.moment(kind, format)
    if text is not None:
        return text
    if kind in _TIMES or kind == "percent":
        format = "decimals_float"
    text = d.show(format, kind != "no_separator")
    return f"{text} {unit}" if unit else text


class _Digits:
    """A decimal number: 0.DIGITS × 10**point, without zeros at either end. Zero has no digits, and no sign."""

    def __init__(self, negative: bool, digits: str, point: int):
        rest = digits.lstrip("0")
        self.digits = rest.rstrip("0")
        self.point = point - (len(digits) - len(rest)) if self.digits else 0
        self.negative = negative and self.digits != ""

    def rounded(self, decimals: int) -> _Digits:
        """It has so many decimals at most. Ties go away from zero."""
        keep = self.point + decimals
        if keep >= len(self.digits):
            return self
        if keep < 0:
            return _Digits(False, "", 0)
        kept = int("0" + self.digits[:keep]) + (self.digits[keep] >= "5")
        digits = str(kept).zfill(keep) if keep else str(kept or "")
        return _Digits(self.negative, digits, self.point + len(digits) - keep)

    def divided(self, by: int) -> _Digits:
        """The quotient by a small number, with 40 digits more than there are."""
        length = len(self.digits) + 40
        quotient = int(self.digits + "0" * 40) // by if self.digits else 0
        return _Digits(self.negative, str(quotient).zfill(length), self.point)

    def floor(self, decimals: int = 0) -> int:
        """The largest integer that is not above the number × 10**decimals."""
        point = self.point + decimals
        whole = int((self.digits + "0" * point)[:point]) if point > 0 else 0
        if not self.negative:
            return whole
        return -whole - (len(self.digits) > point)

    def show(self, format: str, grouped: bool) -> str:
        decimals = format[len("decimals_"):]
        if not (format.startswith("decimals_") and len(decimals) == 1 and decimals in "0123456789"):
            return self.free(15, 0, grouped)
        rounded = self.rounded(int(decimals))
        if rounded.point <= 21:
            return rounded.plain(int(decimals), grouped)
        return self.scientific(int(decimals), int(decimals))

    def free(self, significant: int, decimals: int, grouped: bool) -> str:
        """So many significant digits or decimals at most, whichever reaches further, and no zeros at the end.

        Very large and very small numbers have an exponent.
        """
        rounded = self.rounded(max(decimals, significant - self.point))
        if rounded.digits and not -5 <= rounded.point <= 21:
            return self.scientific(max(decimals, significant - 1), 0)
        return rounded.plain(0, grouped)

    def scientific(self, most: int, least: int) -> str:
        mantissa = _Digits(self.negative, self.digits, 1).rounded(most)
        exponent = self.point - 1 + mantissa.point - 1
        return f"{_Digits(self.negative, mantissa.digits, 1).plain(least, False)}e{exponent}"

    def plain(self, decimals: int, grouped: bool) -> str:
        point = max(0, self.point)
        digits = "0" * max(0, -self.point) + self.digits
        digits += "0" * max(0, point - len(digits))
        whole, fraction = digits[:point] or "0", digits[point:]
        text = f"{int(whole):,}" if grouped else whole
        fraction = fraction.ljust(decimals, "0")
        return ("-" if self.negative else "") + text + ("." + fraction if fraction else "")

    def counted(self, word: str) -> str:
        """1 hour, 2.5 hours."""
        number = self.free(3, 3, True)
        return f"{number} {word}" if number in ("1", "-1") else f"{number} {word}s"

    def duration(self, format: str) -> Optional[str]:
        """A span of seconds, None for one that is too long for the format."""
        counts = {"duration_days": 86400, "duration_hours": 3600, "duration_minutes": 60, "duration_seconds": 1}
        if format in counts:
            return self.divided(counts[format]).counted(format[len("duration_"):-1])
        span = _Digits(False, self.digits, self.point)
        if span.point > 13 or span.floor(3) > _MOST_SECONDS * 1000:
            return None
        s = span.rounded(0).floor()
        some = s != 0
        if format == "duration_hm":
            minutes = (span.floor() + 30) // 60
            text, some = f"{minutes // 60}:{minutes % 60:02}", minutes != 0
        elif format == "duration_ms":
            text = f"{s // 60}:{s % 60:02}"
        elif format == "duration_dhms":
            text = f"{s // 86400}:{s // 3600 % 24:02}:{s // 60 % 60:02}:{s % 60:02}"
        elif format == "duration_human":
            text, some = span.human(), bool(span.digits)
        elif format == "duration_iso":
            thousandths = span.rounded(3)
            text, some = thousandths.iso(), bool(thousandths.digits)
        else:
            text = f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}"
        return "-" + text if self.negative and some else text

    def human(self) -> str:
        if self.rounded(3).floor() < 60:
            return self.counted("second")
        s = self.rounded(0).floor()
        parts = ((s // 86400, "day"), (s // 3600 % 24, "hour"), (s // 60 % 60, "minute"), (s % 60, "second"))
        return ", ".join(_whole(n).counted(word) for n, word in parts if n)

    def iso(self) -> str:
        s = self.floor()
        fraction = self.plain(0, False).partition(".")[2]
        seconds = f"{s % 60}.{fraction}" if fraction else str(s % 60)
        clock = "".join(f"{n}{letter}" for n, letter in ((s // 3600 % 24, "H"), (s // 60 % 60, "M")) if n)
        if seconds != "0" or not self.digits:
            clock += seconds + "S"
        return "P" + (f"{s // 86400}D" if s >= 86400 else "") + ("T" + clock if clock else "")

    def moment(self, kind: str, format: str) -> Optional[str]:
        """A date, a date with a clock time, or a clock time, None for one that there is not."""
        if self.point > 13 or format not in _LAYOUTS or abs(self.floor(3)) > _MOST_SECONDS * 1000:
            return None
        days, ms = divmod(self.floor(3), 86_400_000)
        text = _LAYOUTS[format].format_map(_parts(days, ms))
        if format == "datetime_iso" and ms % 1000:
            text += f".{ms % 1000:03}"
        if kind == "time" and days:
            text += f" ({'+' if days > 0 else ''}{_whole(days).counted('day')})"
        return text


def _whole(n: int) -> _Digits:
    return _Digits(n < 0, str(abs(n)), len(str(abs(n))))


_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_LAYOUTS = {
    "date_short": "{m}/{d}/{y}", "date_med": "{mon} {d}, {y}", "date_med_with_weekday": "{wday}, {mon} {d}, {y}",
    "date_full": "{month} {d}, {y}", "date_huge": "{weekday}, {month} {d}, {y}", "date_iso": "{iso}",
    "datetime_short": "{m}/{d}/{y}, {h}:{min} {ampm}",
    "datetime_short_with_seconds": "{m}/{d}/{y}, {h}:{min}:{sec} {ampm}",
    "datetime_med": "{mon} {d}, {y}, {h}:{min} {ampm}",
    "datetime_med_with_seconds": "{mon} {d}, {y}, {h}:{min}:{sec} {ampm}",
    "datetime_full": "{month} {d}, {y} at {h}:{min} {ampm}",
    "datetime_full_with_seconds": "{month} {d}, {y} at {h}:{min}:{sec} {ampm}",
    "datetime_huge": "{weekday}, {month} {d}, {y} at {h}:{min} {ampm}", "datetime_iso": "{iso}T{hh}:{min}:{sec}",
    "time_simple": "{h}:{min} {ampm}", "time_with_seconds": "{h}:{min}:{sec} {ampm}",
    "time_24_simple": "{hh}:{min}", "time_24_with_seconds": "{hh}:{min}:{sec}",
}


def _parts(days: int, ms: int) -> Dict[str, Union[str, int]]:
    """What layouts put together, of a day since 1970 and a millisecond in it.

    Years of any size are those of the Gregorian calendar, counted from March in cycles of 400 years.
    """
    cycle, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    d = day - (153 * month + 2) // 5 + 1
    m = month + 3 if month < 10 else month - 9
    y = 400 * cycle + year + (m <= 2)
    iso_year = f"{y:04}" if 0 <= y <= 9999 else f"{y:+07}"
    month_name, weekday = _MONTHS[m - 1], _WEEKDAYS[(days + 3) % 7]
    s = ms // 1000
    return {
        "d": d, "m": m, "y": y if y > 0 else f"{1 - y} BC", "mon": month_name[:3], "month": month_name, "weekday": weekday,
        "wday": weekday[:3], "iso": f"{iso_year}-{m:02}-{d:02}", "h": s // 3600 % 12 or 12, "hh": f"{s // 3600:02}",
        "min": f"{s // 60 % 60:02}", "sec": f"{s % 60:02}", "ampm": "AM" if s < 43_200 else "PM",
    }
