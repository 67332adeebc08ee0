/** One call without its input and output: what is sent, and what an answer means. */

import { Problem, ThroughlineError, Undecided, Unexpected, Unreachable } from './errors.js';
import { retryAfter } from './retry.js';

/** Pause before a turn that has not run yet is asked for again, in seconds. */
const UNDECIDED = 0.5;
/** Name of the refusal that says that the first of two equal requests is still being handled. */
const IN_PROGRESS = 'idempotency.in_progress';

/** A call. With a `key` it can be repeated, and is one act; without one it only reads. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  key?: string;
  /** Seconds that the server may wait for the turn. */
  wait?: number;
  /** True if `202 Accepted` is an answer, and no reason to ask again. */
  atOnce?: boolean;
  accept?: string;
}

/** Returns a path of the API; what comes from outside is escaped. */
export function path(...parts: string[]): string {
  return ['/v1', ...parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':'))].join('/');
}

/** Name of the call in errors. */
export function act(call: Call): string {
  return `${call.method} ${call.path}`;
}

export function url(base: string, call: Call): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size > 0 ? `${base}${call.path}?${query}` : base + call.path;
}

export function headers(call: Call, token: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { Accept: call.accept ?? 'application/json' };
  if (token) headers['Authorization'] = `Bearer ${token}`;
  if (call.body !== undefined) headers['Content-Type'] = 'application/json';
  if (call.key !== undefined) headers['Idempotency-Key'] = call.key;
  if (call.wait !== undefined) headers['Prefer'] = `wait=${call.wait}`;
  return headers;
}

/** Outcome of one try: the answer's value, or that the call is to be repeated, and the error if there is no patience. */
export type Outcome = { value: unknown } | { again: ThroughlineError; asked?: number };

/** Returns what a lost connection means: the call is repeated, which its key makes safe. */
export function lost(call: Call, why: unknown): Outcome {
  const cause = why instanceof Error && why.cause instanceof Error ? `: ${why.cause.message}` : '';
  const text = why instanceof Error ? `${why.message}${cause}` : String(why);
  return { again: new Unreachable(act(call), text, call.key) };
}

/**
 * Returns what an answer means, or throws its error.
 *
 * Repeated are 429 and 5xx, as the API says of them, 202 until the turn has run, and a request whose first sending is
 * still being handled, as after a lost connection. Every other refusal is final.
 */
export function judge(call: Call, status: number, answered: Headers, body: string): Outcome {
  if (status === 202 && !call.atOnce) {
    const href = answered.get('location') ?? call.path;
    return { again: new Undecided(act(call), href, call.key), asked: UNDECIDED };
  }
  if (status >= 200 && status < 300) return { value: value(call, status, answered, body) };
  const asked = retryAfter(answered.get('retry-after'), Date.now() / 1000);
  const error = refusal(call, status, body, asked);
  const repeated = status === 429 || status >= 500;
  if (repeated || (error instanceof Problem && error.problem === IN_PROGRESS)) {
    return asked === undefined ? { again: error } : { again: error, asked };
  }
  throw error;
}

function value(call: Call, status: number, answered: Headers, body: string): unknown {
  if (!answered.get('content-type')?.startsWith('application/json')) {
    if (call.accept === undefined) throw new Unexpected(act(call), status, body);
    return body;
  }
  const read = json(body);
  if (read === undefined) throw new Unexpected(act(call), status, body);
  return read;
}

function refusal(call: Call, status: number, body: string, asked: number | undefined): ThroughlineError {
  const members = json(body);
  if (typeof members === 'object' && members !== null && 'code' in members) {
    return new Problem(act(call), status, members as Problem['members'], asked);
  }
  return new Unexpected(act(call), status, body);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
