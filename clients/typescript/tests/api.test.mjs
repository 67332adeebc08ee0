// Every operation a host needs, against the real server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Problem, Throughline, show } from '@throughline/client';
import { Server, all, message, question } from './server.mjs';

const BUG = 'Create a ticket for login bug\nSteps: open /login\nExpected: a form\nActual: a blank page';
/** @type {Server} */ let server;
/** @type {Throughline} */ let client;

before(async () => {
  server = await Server.start();
  client = new Throughline(server.url);
});
after(() => server.end());

test('a key is one act', async () => {
  const first = await client.deliver(question('key'), { key: 'k' });
  assert.equal((await client.deliver(question('key'), { key: 'k' })).turn, first.turn);
  await assert.rejects(client.deliver(message('key', 'other'), { key: 'k' }), { problem: 'idempotency.key_reused' });
});

test('turns are read and explained', async () => {
  const received = await client.post(question('turns'), { key: 'turns' });
  const turn = await client.turn('key:turns');
  assert.equal(turn.lane, received.lane);
  assert.equal((await client.why(turn.turn)).turn, turn.turn);
  assert.ok((await client.whyText(turn.turn)).includes(turn.turn));
  assert.equal((await client.deliver(message('turns', 'in Swansea, please'))).applied?.value, 'Swansea');
});

test('lanes, and what is in them', async () => {
  const { lane } = await client.deliver(question('lanes'));
  assert.ok((await all(client.lanes())).some(({ id }) => id === lane));
  assert.equal((await client.lane(lane)).id, lane);
  assert.deepEqual((await all(client.messages(lane))).map(({ text }) => text), ['Which city?']);
  assert.equal((await client.pending(lane)).length, 1);
  assert.ok((await client.context(lane)).prompt.includes('READ-ONLY'));
  assert.ok((await client.renderContext({ state: { goal: 'ship it' } })).prompt);
});

test('lists go over their pages', async () => {
  const { lane } = await client.deliver(question('pages'));
  for (let n = 0; n <= 200; n++) await client.post(question('pages'), { key: `pages-${n}` });
  await client.turn('key:pages-200');
  assert.equal(new Set((await all(client.turns(lane))).map(({ turn }) => turn)).size, 202);
});

test('options are shown, chosen and closed', async () => {
  const { lane } = await client.deliver(question('options'));
  const { shown } = show({ 'open:1': 'Budget', 'open:2': 'Roadmap' });
  assert.ok(shown);
  const set = await client.showOptions(lane, shown);
  await client.setFocus(lane, { scope: 'chat', scope_instance: 'chat', user: 'ana' });
  await client.deliver(message('options', 'the second one'));
  const offered = await all(client.effects({ state: 'attempted', lane }));
  const effect = offered.find((each) => each.class === 'option.execute');
  assert.ok(effect);
  assert.ok((await client.report(effect.id, { outcome: 'applied' })).settled);
  assert.ok(!(await client.report(effect.id, { outcome: 'applied' }, { key: 'again' })).settled);
  assert.equal((await client.effect(effect.id)).state, 'done');
  await assert.rejects(client.report(effect.id, { outcome: 'rejected' }, { key: 'other' }), { status: 409 });
  assert.equal((await client.closeOptions(lane, set.id)).id, set.id);
});

test('wrong members are named', async () => {
  const wrong = /** @type {any} */ ({ lane: { conversation: 'c' }, kind: 'no.such' });
  await assert.rejects(client.deliver(wrong), (error) => {
    assert.ok(error instanceof Problem);
    assert.equal(error.problem, 'request.schema');
    assert.ok(error.errors[0] && error.message.includes(error.errors[0].pointer));
    return true;
  });
  await assert.rejects(client.lane('ln_none'), { status: 404 });
});

test('approvals, facts and issues', async () => {
  const demo = await Server.start('');
  try {
    const client = new Throughline(demo.url);
    const { lane } = await client.deliver(message('bug', BUG));
    const [approval] = await all(client.approvals());
    assert.ok(approval);
    const { id, version } = await client.approval(approval.id);
    assert.equal((await client.decide(id, { version, decision: 'approve', actor: { id: 'ana' } })).decision, 'done');
    await assert.rejects(client.decide(id, { version, decision: 'reject' }), { problem: 'press.consumed' });
    const [issue] = await all(client.issues({ q: 'login' }));
    assert.ok(issue);
    assert.equal((await client.issue(issue.key)).key, issue.key);
    await client.stateFact({ lane, type: 'decision', text: 'The database is PostgreSQL.' });
    const [fact] = await client.facts('thread', lane);
    assert.ok(fact);
    assert.equal((await client.eraseFact(fact.canonical_id, { lane })).reason, 'fact.erased');
    assert.deepEqual(await client.tools(), []);
    assert.equal((await client.version()).name, 'throughline');
  } finally {
    await demo.end();
  }
});

test('a stream tells what a poll tells', async () => {
  const { lane } = await client.deliver(question('stream'));
  await client.deliver(message('stream', 'Lisbon'));
  const polled = (await client.poll(lane, { after: '0', wait: 0 })).filter(({ id }) => id);
  const streamed = [];
  for await (const event of client.stream(lane, { after: '0' })) {
    if (event.id) streamed.push(event);
    if (streamed.length === polled.length) break;
  }
  assert.deepEqual(streamed, polled);
  await assert.rejects(client.stream('ln_none').next(), { status: 404 });
});

test('a stream goes on over a crash of the server', async () => {
  const own = await Server.start();
  try {
    const client = new Throughline(own.url);
    const { lane } = await client.deliver(question('crash'));
    /** @type {string[]} */ const ids = [];
    /** @type {unknown[]} */ const texts = [];
    for await (const { event, id, data } of client.stream(lane, { after: '0' })) {
      if (id) ids.push(id);
      if (id && event === 'message') texts.push(data.text);
      if (event === 'status' && texts.length === 1) {
        await own.kill();
        await own.start();
        await client.deliver(message('crash', 'Lisbon'));
      }
      if (texts.includes('Lisbon') && event === 'pending') break;
    }
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(texts.slice(0, 2), ['Which city?', 'Lisbon']);
  } finally {
    await own.end();
  }
});

test('the stream of everything tells what its poll tells', async () => {
  const own = await Server.start();
  try {
    const client = new Throughline(own.url);
    for (const name of ['one', 'two']) await client.deliver(question(name));
    await client.deliver(message('one', 'Lisbon'));
    const { items } = await client.pollEvents({ after: '0', wait: 0 });
    assert.equal(new Set(items.map(({ lane }) => lane)).size, 2);
    assert.deepEqual(await first(items.length, client.events({ after: '0' })), items);
    // Page by page, behind each cursor, it is the same again.
    const paged = [];
    for (let after = '0'; ; ) {
      const page = await client.pollEvents({ after, wait: 0, limit: 2 });
      if (page.items.length === 0) break;
      paged.push(...page.items);
      after = page.cursor;
    }
    assert.deepEqual(paged, items);
    const turns = await client.pollEvents({ after: '0', kinds: ['turn'], wait: 0 });
    assert.deepEqual(turns.items, items.filter(({ type }) => type === 'turn'));
    const middle = items.length >> 1;
    const rest = await client.pollEvents({ after: items[middle]?.id ?? '', wait: 0 });
    assert.deepEqual(rest.items, items.slice(middle + 1));
  } finally {
    await own.end();
  }
});

test('the stream of everything goes on over a crash of the server', async () => {
  const own = await Server.start();
  try {
    const client = new Throughline(own.url);
    await client.deliver(question('before'));
    const kinds = ['message', 'turn'];
    const events = [];
    for await (const event of client.events({ after: '0', kinds })) {
      if (events.push(event) === 2) {
        await own.kill();
        await own.start();
        await client.deliver(question('after'));
      }
      if (events.length === 4) break;
    }
    assert.deepEqual(events.map(({ type }) => type), ['turn', 'message', 'turn', 'message']);
    const places = events.map(({ place }) => /** @type {{ conversation: string }} */ (place).conversation);
    assert.deepEqual(places, ['before', 'before', 'after', 'after']);
    // Another process goes on behind the cursor that the first one kept.
    const other = new Throughline(own.url);
    assert.deepEqual(await first(2, other.events({ after: events[1]?.id ?? '', kinds })), events.slice(2));
  } finally {
    await own.end();
  }
});

/**
 * @template T
 * @param {number} count
 * @param {AsyncIterable<T>} items
 */
async function first(count, items) {
  /** @type {T[]} */ const found = [];
  for await (const item of items) if (found.push(item) === count) break;
  return found;
}
