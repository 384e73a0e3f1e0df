// What walk.py does, with the client for TypeScript: walk.mjs MODULE URL KEY LINK NOBODY CONVERSATION CASES.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, url, key, link, nobody, long, cases] = process.argv.slice(2);
const { CalculationError, Client, RequestError, UnansweredError, problemText, show, shown, target, variable } = await import(pathToFileURL(module).href);
const say = (...parts) => console.log(parts.join(" "));
const yes = (fact) => (fact ? "yes" : "no");

const client = new Client(url, key);
const domain = (await client.domains()).find((d) => d.title === "Journey").id;
say("variables", (await client.variables(domain)).map((v) => v.key).join(" "));

// Asking
const drive = { domain, prompt: "distance: 150 mi\nspeed: 70 mi/h\ncalculate: time" };
const first = await client.calculate({ ...drive, idempotencyKey: "drive-typescript" });
say("asked", first.status, target(first).value, "shown", shown(target(first)));
const again = await client.calculate({ ...drive, idempotencyKey: "drive-typescript" });
say("again", yes(again.message_id === first.message_id));
const conversation = first.conversation_id;
const second = await client.calculate({ domain, conversation, inputs: { speed: "75 mi/h" }, calculate: { key: "time", unit: "min" } });
const { action, scenario, variables } = second.results;
say("what-if", action, scenario.current, target(second).value, "carried", variables.filter((v) => v.historical).map((v) => v.key).join(" "));
const table = await client.calculate({ domain, conversation, inputs: { hours: ["1 h", "30 min", ""] }, calculate: ["total"], scenario: "new" });
say("table", variable(table, "hours").value.join(","), target(table).value);
say("scenarios", (await client.scenarios(conversation)).map((s) => s.id).join(" "));
say("scenario 2", (await client.scenario(conversation, 2)).variables.map((v) => v.key).sort().join(" "));
say("prose", (await client.calculate({ domain, prompt: "How long for 150 miles at 60 mph?" })).natural_language);
const late = await client.calculate({ domain, prompt: "How long for 300 miles at 60 mph?", wait: false });
say("waited", target(await client.wait(late)).value);
say("explained", yes((await client.explanation(conversation, first.message_id)).includes("distance / speed")));
const compared = await client.get(`/v1/conversations/${conversation}/compare`, { scenarios: "1,2", of: "time in min" });
say("compared", compared.target.second);

async function fails(name, ask) {
  try {
    await ask();
    say(name, "does not fail");
  } catch (error) {
    if (error instanceof CalculationError) {
      say(name, error.message);
      if (error.problems.map(problemText).join(" ") !== error.message) say("  which is not what its problems say");
      for (const problem of error.problems) {
        for (const alternative of problem.missing ?? []) say("  missing", alternative.variables.map((v) => v.key).join(" "));
        if (problem.offset !== undefined) say("  offset", problem.offset);
      }
    } else if (error instanceof RequestError) say(name, error.status, error.code, error.message);
    else if (error instanceof UnansweredError) say(name, "unanswered", error.idempotencyKey);
    else throw error;
  }
}

// Problems
await fails("unknown", () => client.calculate({ domain, prompt: "distanse: 150 mi\ncalculate: time" }));
await fails("missing", () => client.calculate({ domain, inputs: { distance: "150 mi" }, calculate: "time" }));
await fails("units", () => client.calculate({ domain, prompt: "distance: 5 kg\nspeed: 7\ncalculate: time" }));
await fails("syntax", () => client.calculate({ domain, prompt: "distance: (1 + mi\nspeed: 60 mi/h\ncalculate: time" }));
await fails("conflict", () => client.calculate({ domain, prompt: `${drive.prompt} in min`, idempotencyKey: "drive-typescript" }));
await fails("no domain", () => client.calculate({ ...drive, domain: "trip" }));
await fails("no conversation", () => client.conversation("../domains"));
await fails("no key", () => new Client(url, "reckon_live_wrong").domains());

// Lists
const ids = [];
for await (const item of client.conversations()) ids.push(item.id);
say("conversations", yes(ids.length > 100 && new Set(ids).size === ids.length));
const messages = [];
for await (const message of client.messages(long)) messages.push(message);
const oldestFirst = (await client.conversation(long)).messages.map((m) => m.message_id);
say("messages", messages.length, yes(messages.map((m) => m.message_id).join() === oldestFirst.reverse().join()));

// A bad link
for (const fault of ["lost", "cut", "busy"]) {
  const bad = await new Client(`${link}/${fault}`, key).calculate({ ...drive, idempotencyKey: `${fault}-typescript` });
  say(fault, target(bad).value, "messages", (await client.conversation(bad.conversation_id)).messages.length);
}
for (const fault of ["spent", "moved", "page"]) await fails(fault, () => new Client(`${link}/${fault}`, key).calculate(drive));
const began = Date.now();
await fails("silent", () => new Client(`${link}/silent`, key, { timeout: 300 }).calculate({ ...drive, idempotencyKey: "silent" }));
const cancel = AbortSignal.timeout(100);
await fails("cancelled", () => new Client(`${link}/silent`, key).calculate({ ...drive, idempotencyKey: "cancelled", signal: cancel }));
await fails("nobody", () => new Client(nobody, key, { retries: 1 }).calculate({ ...drive, idempotencyKey: "nobody" }));
say("in time", yes(Date.now() - began < 10_000));

// Values as people read them
const wrong = JSON.parse(readFileSync(cases, "utf8")).filter((k) => JSON.stringify(show(k.value, k.display)) !== JSON.stringify(k.text));
say("cases shown otherwise", wrong.length);
for (const k of wrong) say("  ", JSON.stringify(k), JSON.stringify(show(k.value, k.display)));
