// Client of the protocol's official kit for TypeScript, against the server whose address is the first argument. The second is the kit's
// description, beside which its files are found.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [address, kit] = process.argv.slice(2);
const require = createRequire(kit);
const load = (file) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${file}`)).href);
const { Client } = await load("client/index.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const client = new Client({ name: "peer", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(address)));
// The kit checks results against the schemas of the tools that it listed.
const { tools } = await client.listTools();
assert(tools.length > 10);
const call = async (name, args, options) => (await client.callTool({ name, arguments: args }, undefined, options)).structuredContent;
const lane = { conversation: "typescript" };
const text = "Create a task for the manual\nTitle: Write the manual\nProblem: Nobody knows how it works\nAcceptance criteria: There is a manual";

const shown = await call("deliver_message", { lane, actor: { id: "ana" }, text, idempotency_key: "ts-1" });
const { card } = shown.messages.find((message) => message.card);
const again = await call("deliver_message", { lane, actor: { id: "ana" }, text, idempotency_key: "ts-1" });
assert.equal(again.turn, shown.turn);
const before = await call("get_approval", { approval: card.id });
assert.equal(before.state, "pending");

let news = 0;
const waiting = call("get_approval", { approval: card.id, wait: 30 }, { onprogress: () => news++, timeout: 60000 });
const pressed = await fetch(new URL("/v1/events", address), {
  method: "POST",
  headers: { "content-type": "application/json", "idempotency-key": "ts-press", prefer: "wait=10" },
  body: JSON.stringify({
    lane, actor: { id: "ana" }, kind: "card.pressed",
    press: { token: card.buttons.find((button) => button.action === "approve").token },
  }),
});
assert.equal((await pressed.json()).reason, "press.applied");
const after = await waiting;
assert.equal(after.state, "approved");
assert.equal(after.payload_sha256, before.payload_sha256);

const second = await client.callTool({ name: "decide_approval", arguments: { approval: card.id, version: 1, decision: "reject" } });
assert(second.isError && second.structuredContent.name === "press.consumed");
const effects = await call("list_effects", { lane: shown.lane });
assert(effects.items.some((effect) => effect.class === "tracker.create" && effect.state === "done"));
const { resources } = await client.listResources();
assert(resources.some((resource) => resource.uri === `throughline://lanes/${shown.lane}`));
const { resourceTemplates } = await client.listResourceTemplates();
assert.equal(resourceTemplates.length, 6);
const why = await client.readResource({ uri: `throughline://turns/${shown.turn}/why` });
assert.match(why.contents[0].text, /Decided by rung/);

// An act of its own: asked for, approved by a person, read as an effect, performed under its id, reported.
const act = { lane, actor: { id: "ana" }, request_id: "bill-7", title: "Pay 120 EUR", target: "payments", payload: { amount: 120 } };
const requested = await call("request_approval", act);
const asks = requested.messages.find((message) => message.card).card;
assert.deepEqual(asks.request, { id: "bill-7", state: "pending" });
const decided = call("get_approval", { approval: asks.id, wait: 30 }, { timeout: 60000 });
const bob = await fetch(new URL("/v1/events", address), {
  method: "POST",
  headers: { "content-type": "application/json", "idempotency-key": "ts-act", prefer: "wait=10" },
  body: JSON.stringify({
    lane, actor: { id: "bob" }, kind: "card.pressed",
    press: { token: asks.buttons.find((button) => button.action === "approve").token },
  }),
});
assert.equal((await bob.json()).reason, "press.applied");
assert.equal((await decided).state, "approved");
const offered = (await call("list_effects", { state: "attempted" })).items.filter((effect) => effect.class === "host.act");
assert.equal(offered.length, 1);
assert.equal(offered[0].payload, '{"amount":120}');
const settled = await call("report_effect", { effect: offered[0].id, outcome: "applied", remote: { text: "paid" } });
assert(settled.settled);
const known = await call("request_approval", act);
assert.equal(known.reason, "request.known");
assert.equal(known.messages.find((message) => message.card).card.request.state, "done");
await assert.rejects(client.readResource({ uri: "throughline://lanes/ln_none" }));
await assert.rejects(client.callTool({ name: "no_such", arguments: {} }));
await client.close();
console.log(`${tools.length} tools`);
