// Calls the tools of "reckon mcp" with the official client: assistant.mjs RECKON FILE.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, file] = process.argv.slice(2);
writeFileSync(file, `title: Road trip
description: Driving time.
variables: [{key: distance, unit: mi}, {key: speed, unit: mi/h}, {key: time, unit: h}]
activities: [{equation: time = distance / speed}]
`);
const client = new Client({ name: "assistant", version: "1" });
await client.connect(new StdioClientTransport({ command, args: ["mcp", file] }));
const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name).sort(), ["ask", "calculate", "compare", "describe_domain", "explain", "list_domains", "sweep"]);
const call = (name, args) => client.callTool({ name, arguments: args });
const first = await call("calculate", { inputs: { distance: "150 mi", speed: 60 }, calculate: "time in min" });
assert.equal(first.structuredContent.values[0].value, "150 min");
const { conversation } = first.structuredContent;
const second = await call("ask", { conversation, question: "and at 75 mph?" });
assert.equal(second.structuredContent.values[0].value, "120 min");
const why = await call("explain", { conversation });
assert.match(why.content[0].text, /distance \/ speed/);
const missing = await call("calculate", { inputs: { distance: "150 mi" }, calculate: "time" });
assert.ok(missing.isError);
assert.deepEqual(missing.structuredContent.errors[0].missing, [["speed"]]);
const { resources } = await client.listResources();
assert.equal(resources.length, 4);
await client.close();
console.log("TypeScript: the official client of the Model Context Protocol calls reckon");
