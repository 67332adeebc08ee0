// Agent of Vercel's AI SDK with Throughline as its turn engine: `node vercel-agent.mjs http://127.0.0.1:7070`.
// A conversation is a file in the folder it runs in, with its messages. It may be killed anywhere.
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Agent, Problem } from '@throughline/client';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';
import * as backups from './backups.mjs';
import { model } from './scripted.mjs';

// The agent, as it would be without Throughline.

/** @param {{ args: object, key: string }} [approved] call that is made, and the key it is made under */
const tools = (approved) => ({
  list_backups: tool({ description: 'Lists the backups.', inputSchema: z.object({}), execute: () => backups.listed() }),
  delete_backups: tool({
    description: 'Deletes the backups older than so many days.',
    inputSchema: z.object({ older_than_days: z.number() }),
    execute: () => backups.deleted(approved.args.older_than_days, approved.key),
  }),
});

/** Runs the agent until it ends or waits, and keeps what it is then. */
async function run(chat, message, approved) {
  const messages = [...chat.messages, message];
  const toolApproval = { delete_backups: 'user-approval' };
  const result = await generateText({ model, tools: tools(approved), toolApproval, messages, stopWhen: isStepCount(10) });
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
    chat.by = message.by;
    await run(chat, { role: 'user', content: message.text });
  }
  return saidOrAsked(chat);
});

/** Goes on with what was approved. */
agent.onAct(({ id, lane, request_id, payload }) => {
  return goOn(load(lane), request_id, { approved: true }, { ...JSON.parse(payload), key: id });
});

/** Goes on behind a call that waits, unless that was done before a crash, and tells what the agent says, once. */
async function goOn(chat, call, decision, approved) {
  if (chat.waits[0]?.call === call) await run(chat, decisions(chat, decision), approved);
  const text = await saidOrAsked(chat);
  if (text) await say(chat.lane, text, `${call}:said`);
  if (chat.asked?.call === call) save({ ...chat, asked: null });
}

/** The decision on the first act that waits; the model may ask for the others again. */
function decisions({ waits: [first, ...others] }, decision) {
  const later = { approved: false, reason: 'one act at a time' };
  const answer = ({ approvalId }, decided) => ({ type: 'tool-approval-response', approvalId, ...decided });
  return { role: 'tool', content: [answer(first, decision), ...others.map((other) => answer(other, later))] };
}

/** What the agent says in the end. If it waits, people are asked, and the card says it. */
async function saidOrAsked(chat) {
  const [waits] = chat.waits;
  if (!waits) return chat.said;
  chat.asked = { call: waits.call, ...(await requestApproval(chat.lane, chat.by, waits)) };
  save(chat);
}

/** Asks people to approve a call of a tool: the approval, or why nobody can be asked. Asked again, it is the same request. */
async function requestApproval(lane, actor, { call, tool, args }) {
  const act = { request_id: call, title: `Run ${tool}`, target: tool, payload: { tool, args } };
  try {
    const turn = await client.requestApproval(await place(lane), act, { actor });
    const card = turn.messages.find((message) => message.card)?.card;
    return card ? { approval: card.id } : { refused: turn.reason };
  } catch (error) {
    if (!(error instanceof Problem && error.status === 422)) throw error;
    return { refused: error.detail };
  }
}

/** How a request ended of which no act will follow; nothing while one may. */
async function endOf({ approval, refused }) {
  if (refused) return `nothing was done here, nobody can be asked: ${refused}`;
  const { card, ...record } = await client.approval(approval);
  // Of what was erased there is no card.
  const { state } = card?.request ?? record;
  if (!['pending', 'approved', 'uncertain'].includes(state)) return `nothing was done here, the request is ${state}`;
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
  return { lane, by: null, heard: [], messages: [], waits: [], asked: null, said: '' };
}

function save(chat) {
  writeFileSync(`${chat.lane}.new`, JSON.stringify(chat, null, 1));
  renameSync(`${chat.lane}.new`, `${chat.lane}.json`);
}

for (;;) {
  await agent.recover();
  for (const file of readdirSync('.').filter((name) => /^ln_.*\.json$/.test(name))) {
    const chat = JSON.parse(readFileSync(file, 'utf8'));
    const reason = chat.asked && (await endOf(chat.asked));
    if (reason) await goOn(chat, chat.asked.call, { approved: false, reason });
  }
  await setTimeout(200);
}
