// Agent of Vercel's AI SDK with Throughline as its turn engine: `node vercel-agent.mjs http://127.0.0.1:7070`.
// A conversation is a file in the folder it runs in, with its messages. It may be killed anywhere.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Agent, Rejected } from '@throughline/client';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';
import * as backups from './backups.mjs';
import { model } from './scripted.mjs';

// The agent, as it would be without Throughline.

/** @param {string} [key] that the approved act is done under */
const tools = (key) => ({
  list_backups: tool({ description: 'Lists the backups.', inputSchema: z.object({}), execute: () => backups.listed() }),
  delete_backups: tool({
    description: 'Deletes the backups older than so many days.',
    inputSchema: z.object({ older_than_days: z.number() }),
    execute: ({ older_than_days }) => backups.deleted(older_than_days, key),
  }),
});

/** Runs the agent until it ends or waits, and keeps what it is then. */
async function run(chat, message, key) {
  const messages = [...chat.messages, message];
  const toolApproval = { delete_backups: 'user-approval' };
  const result = await generateText({ model, tools: tools(key), toolApproval, messages, stopWhen: isStepCount(10) });
  const waits = result.content.filter(({ type }) => type === 'tool-approval-request');
  Object.assign(chat, {
    messages: [...messages, ...result.responseMessages],
    said: result.text,
    waits: waits.map(({ approvalId, toolCall }) => ({ approvalId, call: toolCall.toolCallId, tool: toolCall.toolName, args: toolCall.input })),
  });
  save(chat);
}

// Its turns: what Throughline hands over, and what people decided.

const agent = new Agent(process.argv[2]);
const { client } = agent;

/** Answers a message, or asks for the approval that the answer needs. */
agent.onHandover(async (message) => {
  const chat = load(message.lane);
  if (!chat.heard.includes(message.id)) {
    if (chat.waits.length > 0) return 'One thing after the other: please decide on the card first.';
    chat.heard.push(message.id);
    await run(chat, { role: 'user', content: message.text });
  }
  return saidOrAsked(chat, message.by);
});

/** Goes on with what was approved, if that is still what would be done. */
agent.onOption(async (approved) => {
  const chat = load(approved.lane);
  const [asked] = chat.waits;
  if (asked?.call === approved.scope_instance) {
    if (approved.exec_ref !== reference(asked)) throw new Rejected('what would be done is not what was approved');
    chat.asked = null;
    await run(chat, decisions(chat, { approved: true }), approved.id);
  }
  const text = await saidOrAsked(chat, approved.user);
  if (text) await say(chat.lane, text, `${approved.id}:said`);
});

/** Goes on without what was refused. */
async function refused(chat) {
  const { approval, call, user } = chat.asked;
  const reason = await refusal(approval);
  if (!reason) return;
  if (chat.waits[0]?.call === call) {
    await run(chat, decisions(chat, { approved: false, reason: `nothing was done, it was ${reason}` }));
  }
  const text = await saidOrAsked(chat, user);
  if (text) await say(chat.lane, text, `${approval}:said`);
  if (chat.asked.call === call) save({ ...chat, asked: null });
}

/** The decision on the first act that waits; the model may ask for the others again. */
function decisions({ waits: [first, ...others] }, decision) {
  const later = { approved: false, reason: 'one act at a time' };
  const answer = ({ approvalId }, decided) => ({ type: 'tool-approval-response', approvalId, ...decided });
  return { role: 'tool', content: [answer(first, decision), ...others.map((other) => answer(other, later))] };
}

/** What the agent said in the end. If it waits, people are asked, and the card says it. */
async function saidOrAsked(chat, user) {
  const [asked] = chat.waits;
  if (!asked) return chat.said;
  chat.asked = { approval: await requestApproval(chat.lane, user, asked), call: asked.call, user };
  save(chat);
}

/**
 * Asks people to approve one call of a tool, and returns the approval's id. Asked again, it is the same approval. The call
 * is an option that changes something; choosing it, in the user's name, puts it on a card. Approved are the bytes of the
 * option: the label that people read, and the reference, which has the hash of the arguments.
 */
async function requestApproval(lane, user, asked) {
  const label = `${asked.tool} ${JSON.stringify(asked.args)}`.slice(0, 200);
  const act = { id: 'act', label, exec_ref: reference(asked), risk: 'write', repeatable: false };
  const shown = { scope: 'widget', scope_instance: asked.call, options: [act] };
  const listed = await client.showOptions(lane, shown, { key: `${asked.call}:list` });
  const press = { set: listed.id, version: listed.exec_rev, option: 'act' };
  const event = { lane: await place(lane), actor: { id: user }, kind: 'card.pressed', press };
  const turn = await client.deliver(event, { key: `${asked.call}:press` });
  // Nobody chooses it from the list a second time.
  await client.closeOptions(lane, listed.id, { key: `${asked.call}:close` });
  return turn.messages.find(({ card }) => card).card.id;
}

/** Names a call by its tool and the hash of its arguments. */
function reference({ tool, args }) {
  return `${tool}:${createHash('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 32)}`;
}

/** Why what waited for this approval will never be done; nothing while it may be. */
async function refusal(approval) {
  const asked = await client.approval(approval);
  if (['rejected', 'cancelled', 'expired'].includes(asked.state)) return asked.state;
  for await (const effect of client.effects({ lane: asked.lane, state: 'failed' })) {
    if (effect.approval === `${approval} v${asked.version}`) return 'changed after it was approved';
  }
}

async function say(lane, text, key) {
  const assistant = { kind: 'answer', text };
  await client.deliver({ lane: await place(lane), kind: 'assistant.posted', assistant }, { key });
}

async function place(lane) {
  const { channel, conversation, thread } = await client.lane(lane);
  return thread ? { channel, conversation, thread } : { channel, conversation };
}

function load(lane) {
  const file = `${lane}.json`;
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  return { lane, heard: [], messages: [], waits: [], asked: null, said: '' };
}

function save(chat) {
  writeFileSync(`${chat.lane}.new`, JSON.stringify(chat, null, 1));
  renameSync(`${chat.lane}.new`, `${chat.lane}.json`);
}

for (;;) {
  for (const file of readdirSync('.').filter((name) => /^ln_.*\.json$/.test(name))) {
    const chat = JSON.parse(readFileSync(file, 'utf8'));
    if (chat.asked) await refused(chat);
  }
  await agent.recover();
  await setTimeout(200);
}
