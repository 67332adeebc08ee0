// Webhooks: the published example, and everything that makes a delivery untrustworthy.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { WebhookError, webhooks } from '@throughline/client';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = `whsec_${Buffer.from('another secret of 24 byte').toString('base64')}`;
const AT = 1614265330;
const BODY = '{"test": 2432232314}';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
// The example that the publishers of the scheme give for this secret, id, time and body.
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
/** @type {Record<string, string>} */
const HEADERS = { 'webhook-id': ID, 'webhook-timestamp': String(AT), 'webhook-signature': SIGNATURE };
const NOW = { now: AT };

/** @param {string} secret */
function signed(secret, at = AT) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = `v1,${createHmac('sha256', key).update(`${ID}.${at}.${BODY}`).digest('base64')}`;
  return { ...HEADERS, 'webhook-timestamp': String(at), 'webhook-signature': signature };
}

test('the published example is good', async () => {
  const event = JSON.parse(BODY);
  assert.deepEqual(await webhooks.verify(SECRET, HEADERS, BODY, NOW), event);
  assert.deepEqual(await webhooks.verify(SECRET, new Headers(HEADERS), Buffer.from(BODY), NOW), event);
  const upper = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value]));
  assert.deepEqual(await webhooks.verify(SECRET.slice('whsec_'.length), upper, BODY, NOW), event);
});

test('while a secret is changed both are good', async () => {
  for (const secrets of [[SECRET, OTHER], [OTHER, SECRET]]) {
    for (const by of secrets) assert.ok(await webhooks.verify(secrets, signed(by), BODY, NOW));
  }
  const both = `v1a,AAAA ${signed(OTHER)['webhook-signature']} ${SIGNATURE}`;
  assert.ok(await webhooks.verify(SECRET, { ...HEADERS, 'webhook-signature': both }, BODY, NOW));
});

test('a delivery is good for five minutes', async () => {
  for (const off of [-300, -1, 0, 1, 300]) assert.ok(await webhooks.verify(SECRET, signed(SECRET, AT + off), BODY, NOW));
  for (const off of [-301, 301]) {
    await assert.rejects(webhooks.verify(SECRET, signed(SECRET, AT + off), BODY, NOW), /5 minutes/);
  }
});

test('no byte of the body may be another', async () => {
  for (let at = 0; at < BODY.length; at++) {
    const changed = BODY.slice(0, at) + String.fromCharCode(BODY.charCodeAt(at) ^ 1) + BODY.slice(at + 1);
    await assert.rejects(webhooks.verify(SECRET, HEADERS, changed, NOW), WebhookError, `byte ${at}`);
  }
});

test('a header that does not belong to it is refused', async () => {
  /** @type {[string, string][]} */
  const table = [
    ['webhook-id', 'msg_other'],
    ['webhook-timestamp', String(AT + 1)],
    ['webhook-timestamp', 'soon'],
    ['webhook-timestamp', ''],
    ['webhook-signature', ''],
    ['webhook-signature', 'v1,'],
    ['webhook-signature', 'v1,not base64!'],
    ['webhook-signature', SIGNATURE.slice('v1,'.length)],
    ['webhook-signature', SIGNATURE.replace('v1,', 'v2,')],
    ['webhook-signature', signed(OTHER)['webhook-signature']],
  ];
  for (const [name, value] of table) {
    await assert.rejects(webhooks.verify(SECRET, { ...HEADERS, [name]: value }, BODY, NOW), WebhookError, `${name}: ${value}`);
  }
  for (const name of Object.keys(HEADERS)) {
    const { [name]: _, ...rest } = HEADERS;
    await assert.rejects(webhooks.verify(SECRET, rest, BODY, NOW), new RegExp(name));
  }
});

test('a secret that is none is said, and no secret verifies nothing', async () => {
  for (const secret of ['', 'whsec_', 'whsec_!!']) {
    await assert.rejects(webhooks.verify(secret, HEADERS, BODY, NOW), /whsec_/);
  }
  await assert.rejects(webhooks.verify([], HEADERS, BODY, NOW), WebhookError);
});
