// A conversation through AG-UI's own client. Every event is checked twice: by the client's pipeline, which knows the order
// of a run, and by the schemas of the protocol. Run by agui_peer.rs.

import assert from "node:assert";
import { createRequire } from "node:module";

const [, , description, url] = process.argv;
const published = createRequire(description);
const { HttpAgent, buildResumeArray } = published("@ag-ui/client");
const { EventSchema } = published("@ag-ui/core/schemas");

const draft = (title) =>
  `Create a task for the manual\nTitle: ${title}\nProblem: Nobody knows how it works\nAcceptance criteria: There is a manual`;
let numbers = 0;

class Client {
  constructor(threadId) {
    this.agent = new HttpAgent({ url, threadId });
  }

  async run(parameters = {}) {
    const events = [];
    let failed;
    await this.agent.runAgent(parameters, {
      onEvent({ event }) {
        EventSchema.parse(event);
        events.push(event);
      },
      onRunErrorEvent({ event }) {
        failed = event;
      },
    }).catch((error) => {
      if (!failed) throw error;
    });
    return { events, failed, kinds: events.map((event) => event.type) };
  }

  say(content, parameters) {
    this.agent.addMessage({ id: `${this.agent.threadId}-${(numbers += 1)}`, role: "user", content });
    return this.run(parameters);
  }

  // The client builds the answers to all that is open.
  answer(responses) {
    return this.run({ resume: buildResumeArray(this.agent.pendingInterrupts, responses) });
  }

  get open() {
    return this.agent.pendingInterrupts;
  }

  get only() {
    assert.equal(this.open.length, 1, JSON.stringify(this.open));
    return this.open[0];
  }

  get words() {
    return this.agent.messages.map((message) => message.content ?? "").join("\n");
  }

  twice() {
    const ids = this.agent.messages.map((message) => message.id);
    assert.equal(new Set(ids).size, ids.length, `a message is there twice: ${ids}`);
  }
}

const resolved = (payload) => ({ status: "resolved", payload });

// A conversation, and a gate.
const talk = new Client("talk");
const helped = await talk.say("help");
assert(!helped.failed && talk.open.length === 0);
assert.equal(helped.kinds.at(0), "RUN_STARTED");
assert.equal(helped.kinds.at(-1), "RUN_FINISHED");
assert.match(talk.words, /help/i);
await talk.say("What do you think about microservices?");
assert.equal(talk.only.reason, "input_required");
const actions = talk.only.responseSchema.properties.action.enum;
assert.deepEqual(actions, ["select_review", "select_ticket", "dismiss"]);
await talk.answer({ [talk.only.id]: resolved({ action: "dismiss" }) });
assert.equal(talk.open.length, 0);
talk.twice();

// A draft, its approval, its receipt.
const work = new Client("work");
await work.say(draft("Write the manual"));
const asked = work.only;
assert.equal(asked.reason, "tool_call");
const call = work.agent.messages.flatMap((message) => message.toolCalls ?? []).find(({ id }) => id === asked.toolCallId);
assert.match(call.function.arguments, /Write the manual/);
JSON.parse(call.function.arguments);
assert.equal(work.agent.state.step, "draft_preview");
const approved = await work.answer({ [asked.id]: resolved({ approved: true }) });
assert(!approved.failed, JSON.stringify(approved.failed));
const receipt = work.agent.messages.find((message) => message.role === "tool" && message.toolCallId === asked.toolCallId);
assert.match(receipt.content, /DEMO-\d+/);
work.twice();

// The same answer again, from a client that lost everything: the same outcome.
const lost = new Client("work");
const again = await lost.run({ resume: [{ interruptId: asked.id, status: "resolved", payload: { approved: true } }] });
assert(!again.failed, JSON.stringify(again.failed));
assert.match(lost.words, /DEMO-\d+/);
const changed = await lost.run({ resume: [{ interruptId: asked.id, status: "resolved", payload: { approved: false } }] });
assert.equal(changed.failed.code, "press.consumed");

// Another is rejected.
await work.say(draft("Burn the manual"));
await work.answer({ [work.only.id]: resolved({ approved: false }) });
assert.equal(work.open.length, 0);
work.twice();

// One is cut off in the middle, and asked for again: one draft.
const cut = new Client("cut");
cut.agent.addMessage({ id: "cut-1", role: "user", content: draft("Mend the manual") });
const abort = new AbortController();
await cut.run({ abortController: abort, ...(setTimeout(() => abort.abort(), 1), {}) }).catch(() => {});
await cut.run();
const first = cut.only;
assert.match(cut.words, /Mend the manual/);
cut.twice();

// A text is not let through while it is open. The client holds it back by itself; one that has forgotten is told.
const forgetful = new Client("cut");
const blocked = await forgetful.say("help");
assert.equal(blocked.failed.code, "agui.interrupts_open");
const listed = blocked.events.find((event) => event.name === "throughline.interrupts");
assert.equal(listed.value.interrupts[0].id, first.id);
const parallel = await new Client("cut").say("help", { forwardedProps: { "throughline.parallel": true } });
assert(!parallel.failed);
assert.equal(parallel.events.at(-1).outcome.interrupts[0].id, first.id);

// It is edited elsewhere: the old version is refused, and left for the new one.
const base = url.replace("/v1/agui", "");
const post = async (body) => {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": `k${(numbers += 1)}`, Prefer: "wait=10" };
  const answer = await fetch(`${base}/v1/events`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 200);
};
const approval = await (await fetch(`${base}/v1/approvals/${first.toolCallId}`)).json();
const edit = approval.card.buttons.find(({ action }) => action === "edit");
await post({ lane: { conversation: "cut" }, kind: "card.pressed", press: { token: edit.token } });
await post({ lane: { conversation: "cut" }, kind: "message.posted", text: "Title: Mend all of it" });
const stale = await cut.answer({ [first.id]: resolved({ approved: true }) });
assert.equal(stale.failed.code, "stale.version");
await cut.answer({ [first.id]: { status: "cancelled" } });
assert.notEqual(cut.only.id, first.id);
await cut.answer({ [cut.only.id]: resolved({ approved: true }) });
assert.match(cut.words, /Mend all of it/);
assert.equal(cut.open.length, 0);
cut.twice();

// Another thread's interrupt, and one that never was.
await work.say(draft("Read the manual"));
const elsewhere = { interruptId: work.only.id, status: "resolved", payload: { approved: true } };
assert.equal((await new Client("talk").run({ resume: [elsewhere] })).failed.code, "agui.wrong_thread");
const never = { interruptId: "ap_none.v1", status: "cancelled" };
assert.equal((await new Client("talk").run({ resume: [never] })).failed.code, "agui.unknown_interrupt");
await work.answer({ [work.only.id]: { status: "cancelled" } });
assert.equal(work.open.length, 0);
console.log("every event is one of the protocol");
