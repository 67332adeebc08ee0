/** Webhooks, verified as Standard Webhooks says: an HMAC of id, time and body, by any of the current secrets. */

import { WebhookError } from './errors.js';
import type { TenantEvent } from './types.js';

/** Seconds by which a delivery's time may differ from ours. An older one may be a recording that is played again. */
export const TOLERANCE = 300;

/**
 * Returns the event of a delivery, or throws a `WebhookError`.
 *
 * `secrets` is one secret (`whsec_…`), or while it is being changed both. `body` is what arrived, byte for byte. `headers`
 * may be written in any case. Deliveries may repeat: their `webhook-id` is the same then. `now` is Unix time in seconds.
 */
export async function verify(
  secrets: string | readonly string[],
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string | Uint8Array,
  { now = Date.now() / 1000 }: { now?: number } = {},
): Promise<TenantEvent> {
  const [id, at, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => read(headers, name));
  if (!/^\d+$/.test(at!) || Math.abs(now - Number(at)) > TOLERANCE) {
    throw new WebhookError(
      `the delivery's time '${at}' is more than ${TOLERANCE / 60} minutes from ours: ` +
        'it is a repetition by somebody else, or a clock is wrong',
    );
  }
  const raw = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${at}.`), raw);
  const keys = await Promise.all((typeof secrets === 'string' ? [secrets] : secrets).map(key));
  for (const signature of signatures!.split(/\s+/)) {
    if (!signature.startsWith('v1,')) continue;
    const value = decoded(signature.slice(3));
    const good = await Promise.all(keys.map((each) => crypto.subtle.verify('HMAC', each, value, signed)));
    if (good.includes(true)) return JSON.parse(new TextDecoder().decode(raw)) as TenantEvent;
  }
  throw new WebhookError("no signature of the delivery is by a secret of ours: compare the secret with the server's");
}

function read(headers: Headers | Record<string, string | string[] | undefined>, name: string): string {
  const entries = headers instanceof Headers ? [...headers.entries()] : Object.entries(headers);
  const found = entries.find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof found !== 'string') {
    throw new WebhookError(`the delivery has no header '${name}': it is not a webhook of Throughline`);
  }
  return found;
}

async function key(secret: string): Promise<CryptoKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ''));
  if (bytes.length === 0) {
    throw new WebhookError('the secret is not of the form whsec_…, with base64 behind it: copy it anew from the server');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function joined(start: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(start.length + rest.length);
  all.set(start);
  all.set(rest, start.length);
  return all;
}

function decoded(value: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(value), (byte) => byte.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
