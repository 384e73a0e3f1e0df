/**
 * Asks a Reckon service for calculations.
 *
 * This is one file without dependencies, for Node.js from 18 on, Deno, Bun and browsers: copy it beside your program. Its
 * types can be erased, so that whatever runs TypeScript runs it as it stands.
 *
 *     import { Client, CalculationError, shown, target } from "./reckon.ts";
 *
 *     const client = new Client("https://reckon.example.com", key);
 *     const answer = await client.calculate({ domain, prompt: "How long for 150 miles at 60 mph?" });
 *     target(answer)?.value;            // "2.5 h", exact, with its unit
 *     shown(target(answer)!);           // as people read it
 *
 *     const whatIf = await client.calculate({
 *       domain, conversation: answer.conversation_id, inputs: { speed: "75 mi/h" }, calculate: { key: "time", unit: "min" },
 *     });
 *
 *     try {
 *       await client.calculate({ domain, prompt: "distanse: 150 mi\ncalculate: time" });
 *     } catch (error) {
 *       if (error instanceof CalculationError) error.message; // Unknown variable "distanse". Did you mean "distance"?
 *     }
 *
 *     for await (const event of client.events({ conversation: answer.conversation_id })) event.type; // as it happens
 *
 * Answers have the members that the service documents at /openapi.yaml. A call is sent again when it may have been lost or
 * there was no room for it, with the same Idempotency-Key, so that nothing is calculated twice.
 *
 * A key is a secret: a page that everybody can open gives away the one that it holds.
 */

/** A number with its unit; a table is an array of them, or an array of rows of them. */
export type Value = string | string[] | string[][];

/** A value as it may be given. */
export type Input = string | readonly string[] | readonly (readonly string[])[];

/** A variable to calculate, and the unit to answer in. */
export type Target = { key: string; unit?: string | null };

/** Settings of one call. */
export type CallOptions = {
  /** Ends the call early. */
  signal?: AbortSignal;
  /** Milliseconds that the call may take with all its attempts, in the place of the client's. */
  timeout?: number;
};

/** What to calculate: a prompt, or inputs with what to calculate from them. */
export type Question = CallOptions & {
  /** Id of a published domain. */
  domain: string;
  /** Prose, structured text ("distance: 150 mi\ncalculate: time"), or JSON as a text. */
  prompt?: string;
  /** Values by the keys of variables, each with its unit in it; "" clears a value that is carried. */
  inputs?: Readonly<Record<string, Input>>;
  /** What is asked for; without it the last question of the conversation again. */
  calculate?: string | Target | readonly (string | Target)[];
  /** With inputs and calculate: "new", "current", "last", "2", "new from 2". */
  scenario?: string;
  /** Id of the conversation to go on with; without it a new one. */
  conversation?: string;
  /** How the prompt is read; without it the service sees for itself. */
  inputFormat?: "automatic" | "natural_language" | "structured" | "json";
  /** IANA zone that decides what today and now mean; without it the account's. */
  timeZone?: string;
  /** Language of a prompt in prose and of its answer: "en", "de"; without it the account's, or the domain's. */
  language?: string;
  /** Names the question: the same key and question are answered alike and calculated once, for 24 hours. Else a random one. */
  idempotencyKey?: string;
  /** False answers at once: prose may then be in progress, and Client.wait waits for it. */
  wait?: boolean;
};

export type Domain = { id: string; title: string; description: string };

export type ScalarKind = "number" | "no_separator" | "percent" | "duration" | "date" | "datetime" | "time";
export type Kind = ScalarKind | "table" | "bar_chart" | "pie_chart";

/** A variable of a domain. Without a default, default_value is "". */
export type DomainVariable = {
  id: string; key: string; title: string; description: string; default_value: Value; kind: Kind; format: string | null;
};

/** A column of a table, or a series of a bar chart. */
export type Series = { name: string; kind: ScalarKind; format: string | null };

/** How a value is shown. A format is decimals_2, date_med, duration_hms, …; null is that of the kind. */
export type Display =
  | { data_type: "number"; kind: ScalarKind; format: string | null }
  | { data_type: "table"; start_row_index: number; columns: Series[]; rows: { names?: string[] } }
  | {
      data_type: "bar_chart"; series_by: "columns" | "rows"; stacked: boolean; x_axis: { title?: string };
      labels: { source?: "index" | "first_series"; start_series_index?: number }; series: Series[];
    }
  | { data_type: "pie_chart"; kind: ScalarKind; format: string | null; slices: { names?: string[] } };

/** A value of a result, and where it comes from. */
export type Variable = {
  id: string; key: string; title: string; description: string;
  source: "user_input" | "calculated" | "default_value";
  /** Carried from another scenario. */
  historical: boolean;
  /** Exact; it can be given as an input. */
  value: Value;
  display: Display;
  /** Of a chart whose cells have several units: its cells as numbers of one, or why there is none. */
  scale?: (number | null)[] | (number | null)[][]; scale_unit?: string; scale_incompatible?: true; scale_types?: string[];
};

/** An equation that explains values. */
export type Activity = {
  id: string; title: string; description: string; equation: string; state: "active" | "disabled";
  variables: { id: string; calculable: boolean }[];
};

/** The values of a scenario, what was asked for first. */
export type Results = {
  /** discard is a what-if: it has branched off. */
  action: "new" | "extend" | "discard" | "fetch";
  scenario: { original: number; current: number };
  activities: Activity[];
  variables: Variable[];
  /** Id of the variable asked for. */
  calculated: string | null;
};

/** One reason why there is no answer. */
export type Problem = {
  /** input.unknown_variable, calculation.missing_inputs, … */
  code: string;
  /** A template: problemText fills it. */
  message: string;
  args?: string[];
  /** Of input.syntax_error: the place in args[0], in code points. */
  offset?: number;
  /** Alternatives: the values of any one of them, all together, make the answer possible. */
  missing?: { variables: { id: string; key: string; title: string }[] }[];
};

/** A question and its answer. */
export type Message = {
  conversation_id: string; message_id: string; idempotency_key: string | null;
  status: "completed" | "in_progress" | "error";
  source: "api" | "chat"; input_format: "natural_language" | "structured" | "json";
  /** The answer to prose, in words. */
  natural_language?: string | null;
  /** What prose or JSON said; it can be asked again. */
  parsed_json?: { version: number; inputs: { key: string; value: Value }[]; calculate: (Target & { also?: Target[] }) | null; scenario: string };
  /** The answer to structured text; it can be asked again. */
  structured_text: string | null;
  domain: Domain | null; created_at: string; updated_at: string;
  results?: Results; errors?: Problem[]; version: number;
};

/** A conversation as a list has it. */
export type ConversationItem = {
  id: string; title: string | null; notes: string | null; domain_id: string | null; last_activity_at: string;
};

/** A conversation with its messages, the oldest first. */
export type Conversation = {
  conversation_id: string; title: string | null; notes: string | null; domain: Domain | null;
  current_scenario_index: number | null; last_scenario_index: number | null; last_activity_at: string; messages: Message[];
};

/** All values of a scenario. Its id is its index. */
export type Scenario = { id: number; domains: Domain[]; activities: Activity[]; variables: Variable[] };

/** What becomes of a conversation. Client.events goes on behind an event with its id as after. */
export type StreamEvent =
  | { id: string; type: "message.started" | "message.completed" | "message.failed"; data: Message }
  | { id: string; type: "conversation.described"; data: { conversation_id: string; title: string | null; notes: string | null } }
  | { id: string; type: "conversation.erased"; data: { conversation_id: string } };

/** What to follow. timeout is how many milliseconds a connection may be missing. */
export type Following = CallOptions & {
  /** Id of a conversation, which begins with its newest message; without it all of the account, from now on. */
  conversation?: string;
  /** Id of the event to go on behind. */
  after?: string;
  /** Milliseconds of silence that take a connection for a lost one. The service is silent for 15 s at most. */
  silence?: number;
};

/** What all errors of this module are. Its message is a sentence for people. */
export class ReckonError extends Error {}

/** An answer that has no result. Its message has a sentence for each problem. */
export class CalculationError extends ReckonError {
  override name = "CalculationError";
  readonly answer: Message;
  readonly problems: Problem[];

  constructor(answer: Message) {
    super((answer.errors ?? []).map(problemText).join(" "));
    this.answer = answer;
    this.problems = answer.errors ?? [];
  }

  /** Whether a problem of the code is among the reasons. */
  has(code: string): boolean {
    return this.problems.some((problem) => problem.code === code);
  }
}

/** A request that the service refused, or failed to answer. */
export class RequestError extends ReckonError {
  override name = "RequestError";
  readonly status: number;
  /** error_unauthorized, error_not_found, …; "" where it is not the service that answered. */
  readonly code: string;
  /** Finds the request in the logs of the service. */
  readonly requestId: string;
  /** In how many milliseconds to ask again, null where nothing is said. */
  readonly retryAfter: number | null;

  constructor(message: string, status: number, code = "", requestId = "", retryAfter: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/**
 * A request that has no answer: the service was not reached, the time was over, or the call was cancelled. What was asked
 * may still be calculated: ask again with the idempotencyKey for its answer.
 */
export class UnansweredError extends ReckonError {
  override name = "UnansweredError";
  idempotencyKey: string | null = null;
}

/**
 * The sentence of a problem: its message with the arguments in their places, filled in one pass. A place without an
 * argument stays as it is.
 */
export function problemText(problem: Problem): string {
  return problem.message.replace(/%arg(\d+)%/g, (place: string, index: string) => {
    const arg = problem.args?.[Number(index)];
    if (arg === undefined) return place;
    return problem.code === "input.incompatible_units" && arg === "1" ? "no unit" : arg;
  });
}

/** The value of a variable in an answer by its key. */
export function variable(message: Message, key: string): Variable | undefined {
  return message.results?.variables.find((found) => found.key === key);
}

/** The variable that was asked for, the first of several. */
export function target(message: Message): Variable | undefined {
  return message.results?.variables.find((found) => found.id === message.results?.calculated);
}

/** Statuses of what passes by itself. */
const passing = [408, 429, 502, 503, 504];

type Answer = { status: number; requestId: string; retryAfter: number | null; text: string };

/** Milliseconds that an attempt may take. */
const attemptTimeout = 30_000;

/** When a call ends, and what ends it early. */
type Limits = { end: number; signal: AbortSignal | undefined };

/** Asks one service with one API key. */
export class Client {
  readonly #url: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  /**
   * A client of the service at an address, with an API key (reckon_live_…). timeout is how many milliseconds a call may take
   * with all its attempts, retries how many attempts may follow the first one.
   */
  constructor(url: string, key: string, options: { timeout?: number; retries?: number; fetch?: typeof fetch } = {}) {
    if (!/^https?:\/\/[^/]/.test(url)) throw new TypeError(`${JSON.stringify(url)} is no address of a service: give one such as https://reckon.example.com`);
    if (!/^[!-~]+$/.test(key)) throw new TypeError("an API key has visible ASCII characters alone");
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#timeout = options.timeout ?? 60_000;
    this.#retries = options.retries ?? 4;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /**
   * Asks a question and waits for its answer, also of prose. An answer without a result is a CalculationError; other errors
   * are RequestError and UnansweredError.
   */
  async calculate(question: Question): Promise<Message> {
    const key = question.idempotencyKey ?? newKey();
    if (!/^[!-~]+$/.test(key)) throw new TypeError("an Idempotency-Key has visible ASCII characters alone");
    const wait = question.wait ?? true;
    const headers = { "Content-Type": "application/json", "Idempotency-Key": key, Prefer: wait ? "wait=10" : "respond-async" };
    const body = bodyOf(question);
    const limits = this.#limits(question);
    try {
      for (;;) {
        const answer = await this.#send("POST", "/v1/calculate", headers, body, limits);
        const message = read(answer) as Message;
        if (message.status === "error") throw new CalculationError(message);
        if (message.status !== "in_progress" || !wait) return message;
        await pause(Math.max(answer.retryAfter ?? 0, 1000), limits);
      }
    } catch (error) {
      if (error instanceof UnansweredError) error.idempotencyKey = key;
      throw error;
    }
  }

  /** Waits until a message is no longer in progress. It looks again after 50 ms, and ever later, up to each second. */
  async wait(message: Pick<Message, "conversation_id" | "message_id">, options: CallOptions = {}): Promise<Message> {
    const limits = this.#limits(options);
    for (let again = 50; ; again = Math.min(2 * again, 1000)) {
      for await (const found of this.#messages(message.conversation_id, () => limits)) {
        if (found.message_id !== message.message_id) continue;
        if (found.status === "error") throw new CalculationError(found);
        if (found.status !== "in_progress") return found;
        break;
      }
      await pause(again, limits);
    }
  }

  /**
   * Follows what becomes of a conversation, or of all: each event once, in order. A connection that is lost is made again and
   * goes on behind the last event; of what happened meanwhile there is the newest state of each message. It ends when the
   * conversation is erased, and with an error when the service refuses it or is away for the timeout. To end it early leave
   * the loop, or abort the signal, which is a UnansweredError.
   */
  async *events(following: Following = {}): AsyncGenerator<StreamEvent, void, undefined> {
    const { conversation, after, silence } = following;
    const path = conversation === undefined ? "/v1/events" : `${conversationPath(conversation)}/events`;
    const place: Place = { id: after ?? "", retry: 0, heard: false, over: false };
    let limits = this.#limits(following);
    for (let attempt = 0; ; attempt++) {
      let failed: ReckonError = new UnansweredError("The service has ended the stream.");
      let delay = 0;
      try {
        for await (const event of this.#stream(path, place, silence ?? attemptTimeout, limits)) {
          yield event;
          if (event.type === "conversation.erased" && conversation !== undefined) return;
        }
        if (place.over) return;
      } catch (error) {
        if (error instanceof ReckonError && !(error instanceof RequestError && passing.includes(error.status))) throw error;
        failed = error instanceof RequestError ? error : lost(error);
        if (error instanceof RequestError) delay = error.retryAfter ?? 0;
      }
      if (place.heard) {
        place.heard = false;
        attempt = 0;
        limits = this.#limits(following);
      }
      delay = Math.max(delay, place.retry, backoff(attempt));
      if (Date.now() + delay > limits.end) throw failed;
      await pause(delay, limits);
    }
  }

  /** The events of one connection. */
  async *#stream(path: string, place: Place, silence: number, limits: Limits): AsyncGenerator<StreamEvent, void, undefined> {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    let timer = setTimeout(end, Math.min(Math.max(0, limits.end - Date.now()), attemptTimeout));
    limits.signal?.addEventListener("abort", end, { once: true });
    try {
      if (limits.signal?.aborted) throw new Error("aborted");
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (place.id) headers["Last-Event-ID"] = place.id;
      const response = await this.#request("GET", path, headers, undefined, ending.signal);
      place.over = response.status === 204;
      if (place.over) return;
      if (!response.ok) throw refusal(await answerOf(response));
      const stranger = new RequestError(notReckon, response.status, "", response.headers.get("X-Request-Id") ?? "");
      if (!/^text\/event-stream *(;|$)/i.test(response.headers.get("Content-Type") ?? "") || !response.body) throw stranger;
      const frames = new Frames(place, stranger);
      const decoder = new TextDecoder();
      for (const pieces = response.body.getReader(); ; ) {
        clearTimeout(timer);
        timer = setTimeout(end, silence);
        const { done, value } = await pieces.read();
        if (done) return;
        place.heard = true;
        clearTimeout(timer);
        yield* frames.read(decoder.decode(value, { stream: true }));
      }
    } catch (error) {
      if (limits.signal?.aborted) throw new UnansweredError("The request was cancelled.", { cause: error });
      if (ending.signal.aborted) throw new Error("nothing was heard in time", { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
      limits.signal?.removeEventListener("abort", end);
      ending.abort();
    }
  }

  /** Lists the conversations of the account, most recently active first, page by page. */
  async *conversations(options: CallOptions = {}): AsyncGenerator<ConversationItem, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: { conversations: ConversationItem[]; next_cursor: string | null } =
        await this.get("/v1/conversations", { limit: "100", starting_after: cursor }, options);
      yield* page.conversations;
      cursor = page.next_cursor;
    }
  }

  /** Lists the messages of a conversation, the newest first, page by page. */
  messages(conversation: string, options: CallOptions = {}): AsyncGenerator<Message, void, undefined> {
    return this.#messages(conversation, () => this.#limits(options));
  }

  async *#messages(conversation: string, limits: () => Limits): AsyncGenerator<Message, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const path = conversationPath(conversation) + queryOf({ limit: "100", starting_after: cursor });
      const page = read(await this.#send("GET", path, {}, undefined, limits())) as Conversation & { next_cursor: string | null };
      for (const message of page.messages.reverse()) yield { ...message, conversation_id: page.conversation_id };
      cursor = page.next_cursor;
    }
  }

  /** Reads a conversation with all its messages. */
  async conversation(id: string, options: CallOptions = {}): Promise<Conversation> {
    const found = await this.get<Conversation>(conversationPath(id), {}, options);
    for (const message of found.messages) message.conversation_id = found.conversation_id;
    return found;
  }

  /** Reads all scenarios of a conversation, by their indexes. */
  async scenarios(conversation: string, options: CallOptions = {}): Promise<Scenario[]> {
    return (await this.get<{ scenarios: Scenario[] }>(`${conversationPath(conversation)}/context`, {}, options)).scenarios;
  }

  /** Reads the scenario of an index. */
  async scenario(conversation: string, index: number, options: CallOptions = {}): Promise<Scenario> {
    return (await this.get<{ scenario: Scenario }>(`${conversationPath(conversation)}/context/${index}`, {}, options)).scenario;
  }

  /** Says how the values of a message came about, in lines of text. */
  async explanation(conversation: string, message: string, options: CallOptions = {}): Promise<string> {
    const path = `${conversationPath(conversation)}/messages/${encodeURIComponent(message)}/explanation?format=text`;
    return (await this.#send("GET", path, {}, undefined, this.#limits(options))).text;
  }

  /** Lists the published domains. */
  async domains(options: CallOptions = {}): Promise<Domain[]> {
    return (await this.get<{ domains: Domain[] }>("/v1/domains", {}, options)).domains;
  }

  /** Lists the variables of a domain. */
  async variables(domain: string, options: CallOptions = {}): Promise<DomainVariable[]> {
    return (await this.get<{ variables: DomainVariable[] }>(`/v1/domains/${encodeURIComponent(domain)}/variables`, {}, options)).variables;
  }

  /** Reads what else there is (compare, sweep, sensitivity, …), by its path and parameters. */
  async get<T>(path: string, query: Readonly<Record<string, string | null | undefined>> = {}, options: CallOptions = {}): Promise<T> {
    return read(await this.#send("GET", path + queryOf(query), {}, undefined, this.#limits(options))) as T;
  }

  #limits(options: CallOptions): Limits {
    return { end: Date.now() + (options.timeout ?? this.#timeout), signal: options.signal };
  }

  /**
   * Asks until there is an answer. It asks again where that is safe and may help: all that this client sends reads, or has an
   * Idempotency-Key.
   */
  async #send(method: string, path: string, headers: Record<string, string>, body: string | undefined, limits: Limits): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      let failed: ReckonError;
      let delay: number | null = null;
      try {
        const answer = await this.#attempt(method, path, headers, body, limits);
        if (answer.status >= 200 && answer.status < 300) return answer;
        failed = refusal(answer);
        delay = answer.retryAfter;
        if (!passing.includes(answer.status)) throw failed;
      } catch (error) {
        if (error instanceof ReckonError) throw error;
        failed = lost(error);
      }
      delay ??= backoff(attempt);
      if (attempt >= this.#retries || Date.now() + delay > limits.end) throw failed;
      await pause(delay, limits);
    }
  }

  async #attempt(method: string, path: string, headers: Record<string, string>, body: string | undefined, limits: Limits): Promise<Answer> {
    if (limits.signal?.aborted) throw new UnansweredError("The request was cancelled.", { cause: limits.signal.reason });
    const left = limits.end - Date.now();
    if (left <= 0) throw new UnansweredError("The service has not answered in time.");
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const timer = setTimeout(end, Math.min(left, attemptTimeout));
    limits.signal?.addEventListener("abort", end, { once: true });
    try {
      return await answerOf(await this.#request(method, path, headers, body, ending.signal));
    } catch (error) {
      if (limits.signal?.aborted) throw new UnansweredError("The request was cancelled.", { cause: error });
      if (Date.now() >= limits.end) throw new UnansweredError("The service has not answered in time.", { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
      limits.signal?.removeEventListener("abort", end);
    }
  }

  #request(
    method: string, path: string, headers: Record<string, string>, body: string | undefined, signal: AbortSignal,
  ): Promise<Response> {
    return this.#fetch(this.#url + path, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, "Body-Version": "2", ...headers },
      redirect: "manual", // another address would be given the key
      credentials: "omit",
      signal,
      ...(body === undefined ? {} : { body }),
    });
  }
}

/** How far a stream has come: behind which event, how soon to come back, whether anything was heard, or that it is over. */
type Place = { id: string; retry: number; heard: boolean; over: boolean };

/** Characters that an event may have. */
const maxEvent = 16 << 20;

/** Reads server-sent events out of the pieces of a stream, as the HTML standard has them. */
class Frames {
  readonly #place: Place;
  readonly #stranger: RequestError;
  #line = "";
  #afterCR = false;
  #size = 0;
  #id: string | undefined;
  #type = "";
  #data: string[] = [];

  constructor(place: Place, stranger: RequestError) {
    this.#place = place;
    this.#stranger = stranger;
  }

  /** Takes a piece, and gives the events that it ends. */
  *read(piece: string): Generator<StreamEvent, void, undefined> {
    let from = this.#afterCR && piece.startsWith("\n") ? 1 : 0;
    if (piece) this.#afterCR = piece.endsWith("\r");
    this.#size += piece.length;
    if (this.#size > maxEvent) throw this.#stranger;
    for (const ending = /\r\n|\r|\n/g; ; ) {
      ending.lastIndex = from;
      const found = ending.exec(piece);
      this.#line += piece.slice(from, found?.index);
      if (!found) return;
      from = ending.lastIndex;
      const line = this.#line;
      this.#line = "";
      if (line) this.#field(line);
      else {
        this.#size = piece.length - from;
        const event = this.#event();
        if (event) yield event;
      }
    }
  }

  #field(line: string): void {
    const [, name, value = ""] = /^([^:]*)(?:: ?)?([^]*)$/.exec(line) ?? [];
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && /^[!-~]*$/.test(value)) this.#id = value; // what no header can carry leads nowhere
    else if (name === "retry" && /^[0-9]+$/.test(value)) this.#place.retry = Math.min(Number(value), 30_000);
  }

  /** What an empty line ends. The id of an event that is cut off counts for nothing. */
  #event(): StreamEvent | undefined {
    const [id, type, data] = [this.#id, this.#type || "message", this.#data];
    [this.#id, this.#type, this.#data] = [undefined, "", []];
    const repeated = id !== undefined && id !== "" && id === this.#place.id;
    this.#place.id = id ?? this.#place.id;
    if (!data.length || repeated) return undefined;
    let read: unknown;
    try {
      read = JSON.parse(data.join("\n"));
    } catch {
      throw this.#stranger;
    }
    if (typeof read !== "object" || read === null) throw this.#stranger;
    return { id: this.#place.id, type, data: read } as StreamEvent;
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const after = response.headers.get("Retry-After") ?? "";
  return {
    status: response.status, requestId: response.headers.get("X-Request-Id") ?? "", text: await response.text(),
    retryAfter: /^[0-9]{1,9}$/.test(after) ? Number(after) * 1000 : null,
  };
}

/** Half a second, then twice as long each time, and up to half of it less. */
function backoff(attempt: number): number {
  return 500 * 2 ** Math.min(attempt, 4) * (0.5 + Math.random() / 2);
}

function lost(error: unknown): UnansweredError {
  return new UnansweredError(`The service does not answer: ${reasonOf(error)}`, { cause: error });
}

function bodyOf(question: Question): string {
  let { prompt, inputFormat } = question;
  const { inputs, calculate, scenario } = question;
  if (prompt === undefined) {
    const targets = calculate === undefined ? [] : isList(calculate) ? calculate : [calculate];
    prompt = JSON.stringify({
      inputs: Object.entries(inputs ?? {}).map(([key, value]) => ({ key, value })),
      ...(targets.length ? { calculate: targets.map((t) => (typeof t === "string" ? { key: t } : t)) } : {}),
      scenario,
    });
    inputFormat = "json";
  } else if (inputs !== undefined || calculate !== undefined || scenario !== undefined) {
    throw new TypeError("a question has a prompt, or inputs, calculate and scenario, not both");
  }
  return JSON.stringify({
    domain_id: question.domain, prompt, conversation_id: question.conversation, input_format: inputFormat, time_zone: question.timeZone,
    language: question.language,
  });
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

const notReckon = "What answers at this address is not a Reckon service.";

function read(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new RequestError(notReckon, answer.status, "", answer.requestId);
  }
}

function refusal(answer: Answer): RequestError {
  let said: { code?: unknown; message?: unknown } | undefined;
  try {
    said = (JSON.parse(answer.text) as { error?: typeof said } | null)?.error;
  } catch {
    // It is not the service that answered.
  }
  const text = typeof said?.message === "string" ? said.message : `The service answered ${answer.status || "with a redirect"}.`;
  return new RequestError(text, answer.status, typeof said?.code === "string" ? said.code : "", answer.requestId, answer.retryAfter);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
}

async function pause(delay: number, limits: Limits): Promise<void> {
  const left = limits.end - Date.now();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, Math.max(0, Math.min(delay, left)));
    function done(): void {
      clearTimeout(timer);
      limits.signal?.removeEventListener("abort", done);
      resolve();
    }
    if (limits.signal?.aborted) done();
    limits.signal?.addEventListener("abort", done, { once: true });
  });
  if (limits.signal?.aborted) throw new UnansweredError("The request was cancelled.", { cause: limits.signal.reason });
  if (delay > left) throw new UnansweredError("The service has not answered in time.");
}

/** A random name for a request. It is no secret. */
function newKey(): string {
  const some = (): string => Math.random().toString(36).slice(2).padStart(11, "0");
  return globalThis.crypto?.randomUUID?.() ?? some() + some() + some();
}

function conversationPath(id: string): string {
  return `/v1/conversations/${encodeURIComponent(id)}`;
}

function queryOf(query: Readonly<Record<string, string | null | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) parameters.set(name, value);
  const text = parameters.toString();
  return text && `?${text}`;
}

// What follows shows values as people read them. The texts are English and know no locale and no zone. Numbers are handled
// as their decimal digits, which have no rounding of their own.

/**
 * A value as people read it, cell by cell: "1234.5 USD" with decimals_2 is "1,234.50 USD". What cannot be read stands as it
 * is.
 */
export function show(value: Value, display: Display): Value {
  const series = "columns" in display ? display.columns : "series" in display ? display.series : [];
  const all = "kind" in display ? display : undefined;
  const byRows = "series_by" in display && display.series_by === "rows";
  const cell = (text: string, row: number, column: number): string => {
    const described = series[byRows ? row : column] ?? all;
    return showScalar(text, described?.kind, described?.format);
  };
  if (typeof value === "string") return cell(value, 0, 0);
  return value.map((row, i) => (typeof row === "string" ? cell(row, i, 0) : row.map((text, j) => cell(text, i, j)))) as Value;
}

/** The value of a variable as people read it. */
export function shown(found: Variable): Value {
  return show(found.value, found.display);
}

/** The kinds whose values are seconds, with the formats that are theirs when none is named. */
const defaultFormats = new Map([
  ["duration", "duration_hms"], ["date", "date_med"], ["datetime", "datetime_med"], ["time", "time_simple"],
]);

/** One value as people read it, by its kind and format; null is the default of either. */
export function showScalar(value: string, kind?: string | null, format?: string | null): string {
  const space = value.indexOf(" ");
  const unit = space < 0 ? "" : value.slice(space + 1);
  const digits = readDigits(space < 0 ? value : value.slice(0, space));
  if (!digits) return value; // an empty cell, today, now, and what a later service may send
  kind ||= "number";
  const timed = defaultFormats.has(kind);
  const own = unit === "" || (timed && unit === "s");
  format ||= defaultFormats.get(kind) ?? "decimals_float";
  if (own && kind === "percent") return `${inFormat(normal({ ...digits, point: digits.point + 2 }), format, true)}%`;
  let text: string | undefined;
  if (own && kind === "duration") text = durationText(digits, format);
  else if (own && timed) text = momentText(digits, kind, format);
  if (text !== undefined) return text;
  text = inFormat(digits, timed || kind === "percent" ? "decimals_float" : format, kind !== "no_separator");
  return unit ? `${text} ${unit}` : text;
}

/** A decimal number: 0.DIGITS × 10^point, without zeros at either end. Zero has no digits, and no sign. */
type Digits = { negative: boolean; digits: string; point: number };

function readDigits(text: string): Digits | undefined {
  const parts = text.length > 1000 ? null : /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,7}))?$/.exec(text);
  if (!parts) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts;
  return normal({ negative: sign === "-", digits: whole + fraction, point: whole.length + Number(exponent) });
}

function normal({ negative, digits, point }: Digits): Digits {
  const rest = digits.replace(/^0+/, "");
  const kept = withoutEnd(rest, "0");
  return kept ? { negative, digits: kept, point: point - (digits.length - rest.length) } : { negative: false, digits: "", point: 0 };
}

function withoutEnd(text: string, digit: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === digit) end--;
  return text.slice(0, end);
}

function whole(n: number): Digits {
  return normal({ negative: n < 0, digits: String(Math.abs(n)), point: String(Math.abs(n)).length });
}

/** It has so many decimals at most. Ties go away from zero. */
function rounded(d: Digits, decimals: number): Digits {
  const keep = d.point + decimals;
  if (keep >= d.digits.length) return d;
  if (keep < 0) return whole(0);
  const kept = d.digits.slice(0, keep);
  if (d.digits.charAt(keep) < "5") return normal({ ...d, digits: kept });
  const rest = withoutEnd(kept, "9");
  if (!rest) return { ...d, digits: "1", point: d.point + 1 };
  return { ...d, digits: rest.slice(0, -1) + String(Number(rest.slice(-1)) + 1) };
}

/** The quotient by a small number, with 40 digits more than there are. */
function divided(d: Digits, by: number): Digits {
  const digits = (BigInt(d.digits + "0".repeat(40)) / BigInt(by)).toString().padStart(d.digits.length + 40, "0");
  return normal({ ...d, digits });
}

/** The largest integer that is not above the number × 10^decimals, for results below 2^53. */
function floor(d: Digits, decimals = 0): number {
  const point = d.point + decimals;
  const n = point > 0 ? Number(d.digits.padEnd(point, "0").slice(0, point)) : 0;
  return d.negative ? -n - (d.digits.length > point ? 1 : 0) : n;
}

/** A number in one of the formats decimals_…. */
function inFormat(d: Digits, format: string, grouped: boolean): string {
  const decimals = /^decimals_(\d)$/.exec(format)?.[1];
  if (decimals === undefined) return free(d, 15, 0, grouped);
  const r = rounded(d, Number(decimals));
  return r.point <= 21 ? plain(r, Number(decimals), grouped) : scientific(d, Number(decimals), Number(decimals));
}

/**
 * So many significant digits or decimals at most, whichever reaches further, and no zeros at the end. Very large and very
 * small numbers have an exponent.
 */
function free(d: Digits, significant: number, decimals: number, grouped: boolean): string {
  const r = rounded(d, Math.max(decimals, significant - d.point));
  return r.digits && (r.point > 21 || r.point < -5) ? scientific(d, Math.max(decimals, significant - 1), 0) : plain(r, 0, grouped);
}

function scientific(d: Digits, most: number, least: number): string {
  const mantissa = rounded({ ...d, point: 1 }, most);
  return `${plain({ ...mantissa, point: 1 }, least, false)}e${d.point - 1 + mantissa.point - 1}`;
}

function plain(d: Digits, decimals: number, grouped: boolean): string {
  const point = Math.max(0, d.point);
  const digits = ("0".repeat(Math.max(0, -d.point)) + d.digits).padEnd(point, "0");
  let text = digits.slice(0, point) || "0";
  if (grouped) text = text.replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits.slice(point).padEnd(decimals, "0");
  return (d.negative ? "-" : "") + text + (fraction && `.${fraction}`);
}

/** 1 hour, 2.5 hours. */
function counted(d: Digits, word: string): string {
  const number = free(d, 3, 3, true);
  return `${number} ${word}${number === "1" || number === "-1" ? "" : "s"}`;
}

/** Bounds dates and spans, as Date is bounded. */
const mostMilliseconds = 8_640_000_000_000_000;

const counts = new Map([["duration_days", 86_400], ["duration_hours", 3600], ["duration_minutes", 60], ["duration_seconds", 1]]);

const two = (n: number): string => String(n).padStart(2, "0");
const quotient = (n: number, by: number): number => Math.floor(n / by);

/** A span of seconds, undefined for one that is too long for the format. */
function durationText(d: Digits, format: string): string | undefined {
  const unit = counts.get(format);
  if (unit) return counted(divided(d, unit), format.slice("duration_".length, -1));
  const span = { ...d, negative: false };
  if (span.point > 13 || floor(span, 3) > mostMilliseconds) return undefined;
  const s = floor(rounded(span, 0));
  let text: string;
  let some = s !== 0;
  switch (format) {
    case "duration_hm": {
      const minutes = quotient(floor(span) + 30, 60);
      text = `${quotient(minutes, 60)}:${two(minutes % 60)}`;
      some = minutes !== 0;
      break;
    }
    case "duration_ms":
      text = `${quotient(s, 60)}:${two(s % 60)}`;
      break;
    case "duration_dhms":
      text = `${quotient(s, 86_400)}:${two(quotient(s, 3600) % 24)}:${two(quotient(s, 60) % 60)}:${two(s % 60)}`;
      break;
    case "duration_human":
      text = humanText(span);
      some = span.digits !== "";
      break;
    case "duration_iso":
      text = isoText(rounded(span, 3));
      some = rounded(span, 3).digits !== "";
      break;
    default:
      text = `${quotient(s, 3600)}:${two(quotient(s, 60) % 60)}:${two(s % 60)}`;
  }
  return d.negative && some ? `-${text}` : text;
}

function humanText(span: Digits): string {
  if (floor(rounded(span, 3)) < 60) return counted(span, "second");
  const s = floor(rounded(span, 0));
  const parts: [number, string][] = [
    [quotient(s, 86_400), "day"], [quotient(s, 3600) % 24, "hour"], [quotient(s, 60) % 60, "minute"], [s % 60, "second"],
  ];
  return parts.filter(([n]) => n).map(([n, word]) => counted(whole(n), word)).join(", ");
}

function isoText(span: Digits): string {
  const s = floor(span);
  const fraction = plain(span, 0, false).split(".")[1];
  const seconds = fraction ? `${s % 60}.${fraction}` : String(s % 60);
  const hours = quotient(s, 3600) % 24;
  const minutes = quotient(s, 60) % 60;
  const clock = (hours ? `${hours}H` : "") + (minutes ? `${minutes}M` : "") + (seconds !== "0" || !span.digits ? `${seconds}S` : "");
  return `P${s >= 86_400 ? `${quotient(s, 86_400)}D` : ""}${clock && `T${clock}`}`;
}

const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Layouts of moments, of the parts that momentText names. */
const layouts = new Map([
  ["date_short", "m/d/y"], ["date_med", "mon d, y"], ["date_med_with_weekday", "wday, mon d, y"], ["date_full", "month d, y"],
  ["date_huge", "weekday, month d, y"], ["date_iso", "iso"],
  ["datetime_short", "m/d/y, h:min ampm"], ["datetime_short_with_seconds", "m/d/y, h:min:sec ampm"],
  ["datetime_med", "mon d, y, h:min ampm"], ["datetime_med_with_seconds", "mon d, y, h:min:sec ampm"],
  ["datetime_full", "month d, y at h:min ampm"], ["datetime_full_with_seconds", "month d, y at h:min:sec ampm"],
  ["datetime_huge", "weekday, month d, y at h:min ampm"], ["datetime_iso", "isoThh:min:sec"],
  ["time_simple", "h:min ampm"], ["time_with_seconds", "h:min:sec ampm"], ["time_24_simple", "hh:min"], ["time_24_with_seconds", "hh:min:sec"],
]);

/** A date, a date with a clock time, or a clock time; undefined for one that there is not. */
function momentText(d: Digits, kind: string, format: string): string | undefined {
  const layout = layouts.get(format);
  const ms = d.point > 13 ? Infinity : floor(d, 3);
  if (layout === undefined || Math.abs(ms) > mostMilliseconds) return undefined;
  const at = new Date(ms);
  const year = at.getUTCFullYear();
  const isoYear = year >= 0 && year <= 9999 ? String(year).padStart(4, "0") : (year < 0 ? "-" : "+") + String(Math.abs(year)).padStart(6, "0");
  const hour = at.getUTCHours();
  const month = months[at.getUTCMonth()] ?? "";
  const weekday = weekdays[at.getUTCDay()] ?? "";
  const parts: Record<string, string> = {
    d: String(at.getUTCDate()), m: String(at.getUTCMonth() + 1), y: year > 0 ? String(year) : `${1 - year} BC`,
    mon: month.slice(0, 3), month, wday: weekday.slice(0, 3), weekday,
    iso: `${isoYear}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`,
    h: String(hour % 12 || 12), hh: two(hour), min: two(at.getUTCMinutes()), sec: two(at.getUTCSeconds()), ampm: hour < 12 ? "AM" : "PM",
  };
  let text = layout.replace(/[a-z]+/g, (name) => parts[name] ?? name);
  if (format === "datetime_iso" && at.getUTCMilliseconds()) text += `.${String(at.getUTCMilliseconds()).padStart(3, "0")}`;
  const days = quotient(ms, 86_400_000);
  return kind === "time" && days ? `${text} (${days > 0 ? "+" : ""}${counted(whole(days), "day")})` : text;
}
