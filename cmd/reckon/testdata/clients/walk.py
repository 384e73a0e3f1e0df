"""What each client does with a service, here in Python: walk.py FOLDER URL KEY LINK NOBODY CONVERSATION CASES.

LINK misbehaves as the first part of the path says, at NOBODY nobody listens, CONVERSATION has 105 messages, and CASES is a
file of values with how they are shown.
"""

import json
import sys
import threading
import time

folder, url, key, link, nobody, long, cases = sys.argv[1:]
sys.path.insert(0, folder)
import reckon  # noqa: E402



def yes(fact):
    return "yes" if fact else "no"


client = reckon.Client(url, key)
domain = next(d["id"] for d in client.domains() if d["title"] == "Journey")
print("variables", " ".join(v["key"] for v in client.variables(domain)))

# Asking
drive = "distance: 150 mi\nspeed: 70 mi/h\ncalculate: time"
first = client.calculate(domain, drive, idempotency_key="drive-python")
found = reckon.target(first)
print("asked", first["status"], found["value"], "shown", reckon.shown(found))
again = client.calculate(domain, drive, idempotency_key="drive-python")
print("again", yes(again["message_id"] == first["message_id"]))
conversation = first["conversation_id"]
second = client.calculate(domain, inputs={"speed": "75 mi/h"}, calculate="time", unit="min", conversation=conversation)
results = second["results"]
carried = " ".join(v["key"] for v in results["variables"] if v["historical"])
print("what-if", results["action"], results["scenario"]["current"], reckon.target(second)["value"], "carried", carried)
table = client.calculate(domain, inputs={"hours": ["1 h", "30 min", ""]}, calculate=["total"], scenario="new", conversation=conversation)
print("table", ",".join(reckon.variable(table, "hours")["value"]), reckon.target(table)["value"])
print("scenarios", " ".join(str(s["id"]) for s in client.scenarios(conversation)))
print("scenario 2", " ".join(sorted(v["key"] for v in client.scenario(conversation, 2)["variables"])))
prose = client.calculate(domain, "How long for 150 miles at 60 mph?")
print("prose", prose["natural_language"])
late = client.calculate(domain, "How long for 300 miles at 60 mph?", wait=False)
print("waited", reckon.target(client.wait(late))["value"])
print("explained", yes("distance / speed" in client.explanation(conversation, first["message_id"])))
compared = client.get(f"/v1/conversations/{conversation}/compare", {"scenarios": "1,2", "of": "time in min"})
print("compared", compared["target"]["second"])


def fails(name, ask):
    try:
        ask()
        print(name, "does not fail")
    except reckon.CalculationError as error:
        print(name, error)
        for problem in error.problems:
            for alternative in problem.get("missing", []):
                print("  missing", " ".join(v["key"] for v in alternative["variables"]))
            if "offset" in problem:
                print("  offset", problem["offset"])
    except reckon.RequestError as error:
        print(name, error.status, error.code, error)
    except reckon.UnansweredError as error:
        print(name, "unanswered", error.idempotency_key)


# Problems
fails("unknown", lambda: client.calculate(domain, "distanse: 150 mi\ncalculate: time"))
fails("missing", lambda: client.calculate(domain, inputs={"distance": "150 mi"}, calculate="time"))
fails("units", lambda: client.calculate(domain, "distance: 5 kg\nspeed: 7\ncalculate: time"))
fails("syntax", lambda: client.calculate(domain, "distance: (1 + mi\nspeed: 60 mi/h\ncalculate: time"))
fails("conflict", lambda: client.calculate(domain, drive + " in min", idempotency_key="drive-python"))
fails("no domain", lambda: client.calculate("trip", drive))
fails("no conversation", lambda: client.conversation("../domains"))
fails("no key", lambda: reckon.Client(url, "reckon_live_wrong").domains())

# Lists
ids = [c["id"] for c in client.conversations()]
print("conversations", yes(len(ids) > 100 and len(ids) == len(set(ids))))
messages = list(client.messages(long))
oldest_first = [m["message_id"] for m in client.conversation(long)["messages"]]
print("messages", len(messages), yes([m["message_id"] for m in messages] == oldest_first[::-1]))

# A bad link
for fault in ("lost", "cut", "busy"):
    bad = reckon.Client(f"{link}/{fault}", key).calculate(domain, drive, idempotency_key=fault + "-python")
    count = len(client.conversation(bad["conversation_id"])["messages"])
    print(fault, reckon.target(bad)["value"], "messages", count)
fails("spent", lambda: reckon.Client(f"{link}/spent", key).calculate(domain, drive))
fails("moved", lambda: reckon.Client(f"{link}/moved", key).calculate(domain, drive))
fails("page", lambda: reckon.Client(f"{link}/page", key).calculate(domain, drive))
began = time.monotonic()
silent = reckon.Client(f"{link}/silent", key, timeout=0.3)
fails("silent", lambda: silent.calculate(domain, drive, idempotency_key="silent"))
cancel = threading.Event()
threading.Timer(0.1, cancel.set).start()
fails("cancelled", lambda: reckon.Client(nobody, key, retries=100).calculate(domain, drive, idempotency_key="cancelled", cancel=cancel))
fails("nobody", lambda: reckon.Client(nobody, key, retries=1).calculate(domain, drive, idempotency_key="nobody"))
print("in time", yes(time.monotonic() - began < 10))

# Values as people read them
with open(cases, encoding="utf-8") as file:
    wrong = [case for case in json.load(file) if reckon.show(case["value"], case["display"]) != case["text"]]
print("cases shown otherwise", len(wrong))
for case in wrong:
    print("  ", case["value"], case["display"], reckon.show(case["value"], case["display"]))
