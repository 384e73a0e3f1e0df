// What follow.py does, with the client for TypeScript: follow.mjs MODULE MODE URL ….
import { pathToFileURL } from "node:url";

const [module, mode, url, ...more] = process.argv.slice(2);
const { Client, RequestError, UnansweredError, variable } = await import(pathToFileURL(module).href);
const say = (...parts) => console.log(parts.join(" "));

function told({ type, data }) {
  return type.startsWith("message.") ? `${type} ${variable(data, "distance").value}` : `${type} ${data.title ?? ""}`.trim();
}

async function follow(name, client, { leaves, cancels, ...how } = {}) {
  const cancel = new AbortController();
  say(name);
  try {
    for await (const event of client.events(cancels ? { ...how, signal: cancel.signal } : how)) {
      say("  told", event.id, told(event));
      if (cancels) cancel.abort();
      if (leaves) break;
    }
    say("  ended");
  } catch (error) {
    if (error instanceof RequestError) say("  refused", error.status, error.code, error.message);
    else if (error instanceof UnansweredError) say("  unanswered");
    else throw error;
  }
}

if (mode === "live") {
  const [key, conversation] = more;
  for await (const event of new Client(url, key, { timeout: 600_000 }).events(conversation === undefined ? {} : { conversation })) {
    say(told(event));
    if (conversation === undefined && event.type === "conversation.erased") break;
  }
  say("ended");
} else {
  for (const name of ["lines", "cut", "busy", "revoked", "page", "broken", "text", "endless", "heap", "moved", "ids", "over"]) {
    await follow(name, new Client(`${url}/${name}`, "key"), { conversation: "c" });
  }
  await follow("all", new Client(`${url}/all`, "key"));
  await follow("after", new Client(`${url}/after`, "key"), { after: "7" });
  await follow("silent", new Client(`${url}/silent`, "key"), { conversation: "c", silence: 200 });
  await follow("left", new Client(`${url}/held`, "key"), { conversation: "c", leaves: true });
  await follow("cancelled", new Client(`${url}/held`, "key"), { conversation: "c", cancels: true });
  await follow("late", new Client(`${url}/late`, "key", { timeout: 300 }), { conversation: "c" });
  await follow("spent", new Client(`${url}/spent`, "key", { timeout: 300 }), { conversation: "c" });
  await follow("nobody", new Client(more[0], "key", { timeout: 300 }));
}
