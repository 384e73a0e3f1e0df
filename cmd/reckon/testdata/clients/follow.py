"""What each client makes of streams of events, here in Python.

follow.py FOLDER hostile URL NOBODY: each case of a server that misbehaves, by the first part of the path; at NOBODY nobody
listens. follow.py FOLDER live URL KEY [CONVERSATION]: tells events as they come, until an erasure.
"""

import sys
import threading

folder, mode, url = sys.argv[1:4]
sys.path.insert(0, folder)
import reckon  # noqa: E402


def say(*parts):
    print(*parts, flush=True)


def told(event):
    data = event["data"]
    if event["type"].startswith("message."):
        return f'{event["type"]} {reckon.variable(data, "distance")["value"]}'
    return f'{event["type"]} {data.get("title", "")}'.strip()


def follow(name, client, **how):
    leaves, cancel = how.pop("leaves", False), how.get("cancel")
    say(name)
    try:
        for event in client.events(**how):
            say("  told", event["id"], told(event))
            if cancel is not None:
                cancel.set()
            if leaves:
                break
        say("  ended")
    except reckon.RequestError as error:
        say("  refused", error.status, error.code, error)
    except reckon.UnansweredError:
        say("  unanswered")


if mode == "live":
    conversation = sys.argv[5] if len(sys.argv) > 5 else None
    for event in reckon.Client(url, sys.argv[4], timeout=600).events(conversation):
        say(told(event))
        if conversation is None and event["type"] == "conversation.erased":
            break
    say("ended")
    sys.exit()

for name in ("lines", "cut", "busy", "revoked", "page", "broken", "text", "endless", "heap", "moved", "ids", "over"):
    follow(name, reckon.Client(f"{url}/{name}", "key"), conversation="c")
follow("all", reckon.Client(f"{url}/all", "key"))
follow("after", reckon.Client(f"{url}/after", "key"), after="7")
follow("silent", reckon.Client(f"{url}/silent", "key"), conversation="c", silence=0.2)
follow("left", reckon.Client(f"{url}/held", "key"), conversation="c", leaves=True)
follow("cancelled", reckon.Client(f"{url}/held", "key"), conversation="c", cancel=threading.Event())
follow("late", reckon.Client(f"{url}/late", "key", timeout=0.3), conversation="c")
follow("spent", reckon.Client(f"{url}/spent", "key", timeout=0.3), conversation="c")
follow("nobody", reckon.Client(sys.argv[4], "key", timeout=0.3))
