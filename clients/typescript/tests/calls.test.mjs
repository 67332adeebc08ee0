// Repetitions of calls, versions and streams' bytes, against answers that the tests give.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Problem, Throughline, Undecided, Unexpected, Unreachable, VERSION } from '@throughline/client';
import { Patience, retryAfter } from '../dist/retry.js';
import { EventReader } from '../dist/sse.js';

/** @type {import('../dist/api.js').EventBody} */
const EVENT = { lane: { conversation: 'c' }, kind: 'message.posted', text: 'hi' };
const TURN = { turn: 'tn_1', lane: 'ln_1', messages: [], effects: [] };

/** @typedef {{ status: number, body: unknown, headers?: Record<string, string> } | undefined} Told */

/**
 * @param {number} status
 * @param {Record<string, string>} headers
 * @returns {Told}
 */
function problem(status, headers = {}, name = 'some.name') {
  const body = { code: 'TL-0000', name, title: 'It is so', detail: 'why', status };
  return { status, body, headers: { 'content-type': 'application/problem+json', ...headers } };
}

/**
 * Client of a server that gives these answers, the last one again and again; `undefined` is a lost connection.
 * @param {Told[]} answers
 */
function script(answers, { patience = 5, version = VERSION } = {}) {
  /** @type {{ url: string, headers: Headers, body: unknown }[]} */
  const requests = [];
  /** @type {string[]} */
  const warnings = [];
  /** @type {typeof fetch} */
  const told = async (url, init) => {
    if (String(url).endsWith('/version')) return Response.json({ name: 'throughline', version, commit: 'c' });
    requests.push({ url: String(url), headers: new Headers(init?.headers), body: init?.body });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new TypeError('fetch failed', { cause: new Error('cut') });
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    return new Response(body, { status: answer.status, headers: { 'content-type': 'application/json', ...answer.headers } });
  };
  /** @param {string} warning */
  const onMismatch = (warning) => void warnings.push(warning);
  const client = new Throughline('http://t/', { token: 'tlk_x', patience, fetch: told, onMismatch });
  return { client, requests, warnings };
}

const GOOD = { status: 200, body: TURN };
const AT_ONCE = { 'retry-after': '0' };

test('what is not possible now is repeated with one key', async () => {
  for (const status of [429, 500, 502, 503, 504, 599]) {
    const { client, requests } = script([problem(status, AT_ONCE), undefined, problem(status, AT_ONCE), GOOD]);
    assert.equal((await client.deliver(EVENT)).turn, 'tn_1');
    assert.equal(requests.length, 4);
    assert.equal(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
    assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
  }
});

test('a refusal is final', async () => {
  for (let status = 400; status < 452; status++) {
    if (status === 429) continue;
    const { client, requests } = script([problem(status), GOOD]);
    await assert.rejects(client.deliver(EVENT), (error) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual([error.status, error.code, error.problem, error.detail], [status, 'TL-0000', 'some.name', 'why']);
      return true;
    });
    assert.equal(requests.length, 1);
  }
});

test('a request that is still handled is asked for again', async () => {
  const { client } = script([undefined, problem(409, AT_ONCE, 'idempotency.in_progress'), GOOD]);
  assert.equal((await client.deliver(EVENT)).turn, 'tn_1');
});

test('patience ends, and the error says how to go on', async () => {
  const lost = script([undefined], { patience: 0 }).client.deliver(EVENT, { key: 'mine' });
  await assert.rejects(lost, (error) => error instanceof Unreachable && /cut.*key: 'mine'/.test(error.message));
  await assert.rejects(script([problem(503, { 'retry-after': '3600' })]).client.deliver(EVENT), { retryAfter: 3600 });
  const waiting = { status: 202, body: { state: 'received', lane: 'ln_1', href: '/x' }, headers: { location: '/x' } };
  await assert.rejects(script([waiting], { patience: 0.1 }).client.deliver(EVENT), Undecided);
  assert.equal((await script([waiting]).client.post(EVENT)).href, '/x');
  assert.equal((await script([GOOD]).client.post(EVENT)).href, '/v1/turns/tn_1');
});

test('an answer of somebody else is said', async () => {
  for (const status of [200, 404]) {
    const html = { status, body: '<html>', headers: { 'content-type': 'text/html' } };
    await assert.rejects(script([html]).client.deliver(EVENT), (error) => error instanceof Unexpected);
  }
  assert.throws(() => new Throughline('no address'), TypeError);
  assert.throws(() => new Throughline('http://t', { token: 'not\na token' }), TypeError);
});

test('every call that changes something has a key and the token', async () => {
  /** @type {((client: Throughline) => Promise<unknown>)[]} */
  const calls = [
    (client) => client.deliver(EVENT),
    (client) => client.post(EVENT),
    (client) => client.stateFact({ lane: 'ln_1', type: 'decision', text: 'it is so' }),
    (client) => client.eraseFact('f1-1'),
    (client) => client.showOptions('ln_1', { scope: 'chat', scope_instance: 'c', options: [] }),
    (client) => client.closeOptions('ln_1', 'os1-1'),
    (client) => client.setFocus('ln_1', { scope: 'chat', scope_instance: 'c' }),
    (client) => client.decide('ap_1', { version: 1, decision: 'approve' }),
    (client) => client.resolve('fx_1', { as: 'adopt' }),
    (client) => client.report('fx_1', { outcome: 'applied' }),
  ];
  for (const call of calls) {
    const { client, requests } = script([GOOD]);
    await call(client);
    assert.ok(requests[0]?.headers.get('idempotency-key'), String(call));
    assert.equal(requests[0]?.headers.get('authorization'), 'Bearer tlk_x');
  }
});

test('what comes from outside stays in its place of the path', async () => {
  const { client, requests } = script([GOOD]);
  await client.turn('key:a/../b?c#d');
  assert.equal(requests[0]?.url, 'http://t/v1/turns/key:a%2F..%2Fb%3Fc%23d');
});

test('a server of another line is warned of once', async () => {
  for (const [version, says] of [['0.2.0', 'upgrade the package'], ['0.0.9', 'upgrade the server'], ['1.0.0', 'package']]) {
    const { client, warnings } = script([GOOD], { version });
    await Promise.all([client.deliver(EVENT), client.deliver(EVENT)]);
    assert.equal(warnings.length, 1);
    assert.ok(warnings[0]?.includes(String(version)) && warnings[0].includes(String(says)), warnings[0]);
  }
  const { client, warnings } = script([GOOD], { version: '0.1.99' });
  await client.deliver(EVENT);
  assert.deepEqual(warnings, []);
});

test('the version is the one of the package, and of the API it is made of', () => {
  /** @param {string} file */
  const read = (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  assert.equal(VERSION, read('../package.json').version);
  assert.equal(VERSION, read('../../../crates/server/openapi.json').info.version);
});

test('pauses grow and never pass the limit', () => {
  const patience = new Patience(60, 100);
  for (let n = 0; n < 12; n++) {
    const pause = patience.pause(100) ?? -1;
    assert.ok(pause >= 0.05 && pause <= 5);
  }
  assert.equal(patience.pause(100, 60), 60);
  assert.equal(patience.pause(100, 60.1), undefined);
  assert.equal(patience.pause(160.1, 0), undefined);
});

test('retry-after is seconds or a date', () => {
  /** @type {[string | null, number | undefined][]} */
  const table = [[null, undefined], ['7', 7], ['soon', undefined], ['-1', undefined], ['Thu, 01 Jan 1970 00:01:40 GMT', 90]];
  for (const [value, seconds] of table) assert.equal(retryAfter(value, 10), seconds);
});

test('every cut of a stream gives the same events', () => {
  const stream =
    ': here\n\nretry: 1500\n\nevent: turn\nid: 1.0\ndata: {"text":"a\u2028b\x85ü"}\n\ndata: one\ndata:two\n\nid: 2.0\n\n';
  const events = [
    { event: 'turn', data: '{"text":"a\u2028b\x85ü"}', id: '1.0' },
    { event: 'message', data: 'one\ntwo' },
  ];
  for (const end of ['\n', '\r', '\r\n']) {
    const text = stream.replaceAll('\n', end);
    for (let cut = 0; cut <= text.length; cut++) {
      const reader = new EventReader();
      assert.deepEqual([text.slice(0, cut), text.slice(cut), '\n'].flatMap((part) => reader.feed(part)), events);
    }
    const reader = new EventReader();
    assert.deepEqual([...text, '\n'].flatMap((part) => reader.feed(part)), events);
  }
  assert.deepEqual(new EventReader().feed('event: turn\nid: 1.0\ndata: {}\n'), []);
});

test('the events of the tenant go on behind the last one', async () => {
  /** @param {number} n */
  const told = (n) => `id: ${n}\nevent: turn\ndata: {"id": "${n}", "type": "turn", "at": "", "lane": "ln_1", "data": {}}\n\n`;
  const headers = { 'content-type': 'text/event-stream' };
  const { client, requests } = script([
    { status: 200, body: told(1) + told(2), headers },
    problem(503, AT_ONCE),
    { status: 200, body: `${told(3)}id: 4\ndata: {`, headers },
    problem(403),
  ]);
  const events = client.events({ after: '0', kinds: ['turn', 'effect'] });
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push((await events.next()).value?.id);
  assert.deepEqual(ids, ['1', '2', '3']);
  await assert.rejects(events.next(), Problem);
  assert.deepEqual(requests.map((request) => request.headers.get('last-event-id')), [null, '2', '2', '3']);
  assert.equal(requests[0]?.url, 'http://t/v1/stream?after=0&kinds=turn%2Ceffect');
});

test('the events of the tenant are polled', async () => {
  const { client, requests } = script([{ status: 200, body: { items: [], cursor: '7' } }]);
  assert.equal((await client.pollEvents({ after: '6', kinds: ['turn'], wait: 0, limit: 5 })).cursor, '7');
  assert.equal(requests[0]?.url, 'http://t/v1/events?after=6&kinds=turn&wait=0&limit=5');
});
