// An app made with Bolt for JavaScript, which knows nothing of the fake but its address. Run by tests/peers/slack.rs.
//
// It answers a mention with a card, a press with a modal, a form with a message, a command, two shortcuts, an opened Home
// tab and an opened thread with the agent.

import { createRequire } from "node:module";

const [, , bolt, mode, api, token, appToken, signingSecret, port] = process.argv;
const { App, LogLevel } = createRequire(bolt)("@slack/bolt");

const app = new App({
  token,
  signingSecret,
  ...(mode === "socket" ? { appToken, socketMode: true } : {}),
  clientOptions: { slackApiUrl: api },
  logLevel: LogLevel.WARN,
});

const plain = (text) => ({ type: "plain_text", text });
const card = (text) => [
  { type: "section", text: { type: "mrkdwn", text } },
  { type: "actions", block_id: "buttons", elements: [{ type: "button", text: plain("Go"), action_id: "go", value: "v1" }] },
];
const modal = {
  type: "modal",
  callback_id: "edit",
  title: plain("Edit"),
  submit: plain("Save"),
  blocks: [{ type: "input", block_id: "title", label: plain("Title"), element: { type: "plain_text_input", action_id: "text" } }],
};

app.event("app_mention", async ({ event, client, say }) => {
  await client.reactions.add({ channel: event.channel, timestamp: event.ts, name: "eyes" });
  await say({ text: "card", blocks: card(`You said ${event.text}`), thread_ts: event.ts, metadata: { event_type: "effect", event_payload: { id: "e1" } } });
  const { messages } = await client.conversations.replies({ channel: event.channel, ts: event.ts, include_all_metadata: true });
  if (messages.at(-1).metadata.event_payload.id !== "e1") throw new Error(JSON.stringify(messages));
});

app.message("upload", async ({ message, client }) => {
  await client.filesUploadV2({ channel_id: message.channel, thread_ts: message.ts, filename: "all.txt", content: "every byte", initial_comment: "all of it" });
});

app.action("go", async ({ ack, body, client, action, respond }) => {
  await ack();
  if (action.value !== "v1") throw new Error(action.value);
  await client.views.open({ trigger_id: body.trigger_id, view: modal });
  await client.chat.update({ channel: body.channel.id, ts: body.message.ts, text: "pressed", blocks: card("pressed") });
  await respond({ text: "only you", replace_original: false });
});

app.view("edit", async ({ ack, view, body, client }) => {
  const title = view.state.values.title.text.value;
  if (title === "bad") {
    await ack({ response_action: "errors", errors: { title: "too short" } });
    return;
  }
  await ack();
  await client.chat.postMessage({ channel: body.user.id, text: `saved ${title}` });
});

app.command("/maro", async ({ ack, command, respond }) => {
  await ack(`said ${command.text}`);
  await respond({ text: "later", response_type: "in_channel" });
});

app.shortcut({ callback_id: "new_ticket", type: "shortcut" }, async ({ ack, body, client }) => {
  await ack();
  await client.views.open({ trigger_id: body.trigger_id, view: modal });
});

app.shortcut({ callback_id: "make_ticket", type: "message_action" }, async ({ ack, body, client }) => {
  await ack();
  await client.chat.postEphemeral({ channel: body.channel.id, user: body.user.id, text: `about ${body.message.text}` });
});

app.event("app_home_opened", async ({ event, client }) => {
  await client.views.publish({ user_id: event.user, view: { type: "home", blocks: card("home") } });
});

app.event("assistant_thread_started", async ({ event, client }) => {
  const { channel_id, thread_ts } = event.assistant_thread;
  await client.assistant.threads.setSuggestedPrompts({ channel_id, thread_ts, prompts: [{ title: "Ticket", message: "Make a ticket" }] });
  await client.assistant.threads.setStatus({ channel_id, thread_ts, status: "is thinking", loading_messages: ["one", "two"] });
  await client.assistant.threads.setTitle({ channel_id, thread_ts, title: "A thread" });
});

app.error(async (error) => {
  console.error(error);
  process.exit(1);
});

await app.start(mode === "socket" ? undefined : { port: Number(port), host: "127.0.0.1" });
console.log("ready");
