/** Errors of calls. Each says what failed and what to do; a refusal has the server's stable code. */

import type { Pointed, ProblemDetails } from './api.js';

/** Error of this package: whichever call failed, it is one of these. */
export class ThroughlineError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** No answer came until the call's patience was over. It may have been taken or not: repeat it with `key`. */
export class Unreachable extends ThroughlineError {
  constructor(
    act: string,
    why: string,
    readonly key: string | undefined,
  ) {
    super(`${act}: ${why}${key === undefined ? '' : `; repeat it with key: '${key}', which is safe`}`);
  }
}

/** The event is durable, and its turn did not run until the call's patience was over. `href` is where it will be. */
export class Undecided extends ThroughlineError {
  constructor(
    act: string,
    readonly href: string,
    readonly key: string | undefined,
  ) {
    super(`${act}: it is durable, but its turn has not run yet; read it at ${href} later`);
  }
}

/** An answer that no Throughline gives, as of a proxy in between or of a wrong address. */
export class Unexpected extends ThroughlineError {
  constructor(
    act: string,
    readonly status: number,
    body: string,
  ) {
    const start = body ? `, which begins ${JSON.stringify(body.slice(0, 80))}` : '';
    super(`${act}: answered with status ${status}${start}; is the address Throughline's?`);
  }
}

/** An effect came that this agent has no handler for. It stays offered, so nothing is lost. */
export class NoHandler extends ThroughlineError {
  constructor(
    readonly effectClass: string,
    readonly effect: string,
  ) {
    super(
      `the effect ${effect} asks for ${effectClass}, and this agent has no handler: ` +
        `register one with agent.on('${effectClass}', …)`,
    );
  }
}

/** Thrown by a handler that did not perform its effect and never will: it is reported as rejected, with the text. */
export class Rejected extends ThroughlineError {}

/** A delivery that is not to be trusted: answer it with 401 and do nothing of what it says. */
export class WebhookError extends ThroughlineError {}

/**
 * Refusal by the server (RFC 9457). `code` (`TL-2203`) and `problem` (`idempotency.key_reused`) are stable, `detail` is
 * about this request. `errors` has the wrong members of the body, each with its `pointer` and `text`.
 */
export class Problem extends ThroughlineError {
  readonly code: string;
  /** Name of the code. An error's `name` is its class in JavaScript. */
  readonly problem: string;
  readonly detail: string;
  readonly errors: readonly Pointed[];

  constructor(
    act: string,
    readonly status: number,
    /** The whole answer. */
    readonly members: Partial<ProblemDetails>,
    /** Seconds after which to try again, if the server says so. */
    readonly retryAfter?: number,
  ) {
    const errors = members.errors ?? [];
    const places = errors.map(({ pointer, text }) => `\n  ${pointer}: ${text}`).join('');
    super(`${act}: ${members.detail ?? members.title} (${members.code} ${members.name}, ${status})${places}`);
    this.code = members.code ?? '';
    this.problem = members.name ?? '';
    this.detail = members.detail ?? '';
    this.errors = errors;
  }
}
