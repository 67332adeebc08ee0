/** Agent: delivers what people say, performs what the turns ask for, and reports it. */

import { report } from './answers.js';
import type { Effect, EventBody, ResultReport, TurnAnswer } from './api.js';
import { type ClientOptions, type Keyed, Throughline } from './client.js';
import { NoHandler, Problem, Rejected } from './errors.js';
import type { Act, Answer, Execution, Handover, Result } from './types.js';

/** Reports that the server has not yet. `FileJournal` of `@throughline/client/journal` keeps them in a folder. */
export interface Journal {
  get(effect: string): Promise<ResultReport | undefined>;
  /** Keeps a report. It has to be durable when this is done. */
  put(effect: string, report: ResultReport): Promise<void>;
  effects(): Promise<string[]>;
  remove(effect: string): Promise<void>;
}

/** Options of an agent. */
export interface AgentOptions extends ClientOptions {
  journal?: Journal;
}

/** Place and author of a message. */
export interface Place extends Keyed {
  conversation: string;
  user: string;
  thread?: string;
  channel?: string;
}

/** Number of performed effects that are remembered: more than any list of offered ones holds by far. */
const REMEMBERED = 10_000;

type Handler = (effect: Effect) => unknown;
type MaybeLater<T> = T | Promise<T>;

/** What became of a message: its turn, and everything that was said to it, in order. */
export class Said {
  constructor(
    readonly turn: TurnAnswer,
    readonly texts: string[] = [],
  ) {}

  /** Value that was read as the answer to a question; nothing if there is none. */
  get applied(): unknown {
    return this.turn.applied?.value;
  }

  toString(): string {
    const applied = this.applied === undefined ? [] : [`it is an answer: ${this.applied}`];
    return [...applied, ...this.texts].join('\n');
  }
}

/**
 * Agent of a host.
 *
 * Handlers are registered by class of effect, and an effect is performed by one of them at a time here. What a handler
 * returns is reported with the effect's id as the key. A handler that throws `Rejected` is reported so; after any other
 * error nothing is reported, and the effect stays offered. What was offered before this process began is performed at the
 * first call: an effect may come again, so use its id as the key of what you do. With a `journal`, what was performed and
 * not yet reported is only reported.
 */
export class Agent {
  readonly client: Throughline;
  readonly #journal: Journal | undefined;
  readonly #handlers = new Map<string, Handler>();
  /** Effects that are being performed here, or were, oldest first: none is performed again after an old list. */
  readonly #claims = new Set<string>();
  #recovered = false;

  constructor(base: string | Throughline, options: AgentOptions = {}) {
    this.client = typeof base === 'string' ? new Throughline(base, options) : base;
    this.#journal = options.journal;
  }

  /** Registers the handler of a class of effects, as `tracker.create`. */
  on(effectClass: string, handler: (effect: Effect) => MaybeLater<Result>): this {
    this.#handlers.set(effectClass, handler);
    return this;
  }

  /** Registers what answers a message that nothing decided: with a text, `ask(…)`, `show(…)`, or nothing. */
  onHandover(handler: (message: Handover) => MaybeLater<Answer>): this {
    this.#handlers.set('turn.handover', handler as Handler);
    return this;
  }

  /** Registers what executes a chosen option. */
  onOption(handler: (option: Execution) => MaybeLater<Result>): this {
    this.#handlers.set('option.execute', handler as Handler);
    return this;
  }

  /** Registers what performs an act that you asked leave for and that a person approved. */
  onAct(handler: (act: Act) => MaybeLater<Result>): this {
    this.#handlers.set('host.act', handler as Handler);
    return this;
  }

  /** Delivers a person's message, performs what it asks for, and returns what was said to it. */
  say(text: string, { conversation, user, thread, channel, ...keyed }: Place): Promise<Said> {
    const lane: EventBody['lane'] = { conversation };
    if (thread !== undefined) lane.thread = thread;
    if (channel !== undefined) lane.channel = channel;
    return this.deliver({ lane, actor: { id: user }, kind: 'message.posted', text }, keyed);
  }

  /** Delivers any event, as a press, and performs what it asks for. */
  async deliver(event: EventBody, keyed: Keyed = {}): Promise<Said> {
    if (!this.#recovered) await this.#recoverOrLog();
    return this.perform(await this.client.deliver(event, keyed));
  }

  /** Performs what a turn asks for; for turns that came otherwise, as by `client.decide`. */
  async perform(turn: TurnAnswer): Promise<Said> {
    const said = new Said(turn);
    for (const effect of turn.effects.filter(offered)) {
      const done = await this.#perform(effect);
      const text = done?.answer?.assistant?.text;
      if (text) said.texts.push(text);
    }
    said.texts.push(...turn.messages.map((message) => message.text));
    return said;
  }

  /**
   * Performs everything that is offered and not reported, oldest first, and returns how much that was. An effect without
   * a handler here is another process's, and is left alone. If handlers throw, the others are performed all the same, and
   * the first error is thrown at the end.
   */
  async recover(): Promise<number> {
    for (const effect of (await this.#journal?.effects()) ?? []) await this.#reportKept(effect);
    const ours: Effect[] = [];
    for await (const effect of this.client.effects({ state: 'attempted' })) {
      if (offered(effect) && this.#handlers.has(effect.class)) ours.unshift(effect);
    }
    this.#recovered = true;
    const failed: unknown[] = [];
    for (const effect of ours) await this.#perform(effect).catch((error: unknown) => failed.push(error));
    if (failed.length > 0) throw failed[0];
    return ours.length;
  }

  /** Performs what is offered in any conversation, until the signal aborts; asks every so many seconds. */
  async run({ every = 1, signal }: { every?: number; signal?: AbortSignal } = {}): Promise<void> {
    while (!signal?.aborted) {
      await this.#recoverOrLog();
      await new Promise((resume) => setTimeout(resume, every * 1000));
    }
  }

  async #recoverOrLog(): Promise<void> {
    try {
      await this.recover();
    } catch (error) {
      console.error('an effect that was offered before failed; it stays offered:', error);
    }
  }

  async #perform(effect: Effect): Promise<ResultReport | undefined> {
    if (!this.#claim(effect.id)) return undefined;
    try {
      const done = await this.#done(effect);
      await this.#report(effect.id, done);
      return done;
    } catch (error) {
      this.#claims.delete(effect.id);
      throw error;
    }
  }

  #claim(effect: string): boolean {
    if (this.#claims.has(effect)) return false;
    const [oldest] = this.#claims;
    if (oldest !== undefined && this.#claims.size >= REMEMBERED) this.#claims.delete(oldest);
    this.#claims.add(effect);
    return true;
  }

  /** Performs an effect, unless that was done before and only its report is missing. */
  async #done(effect: Effect): Promise<ResultReport> {
    const kept = await this.#journal?.get(effect.id);
    if (kept) return kept;
    const handler = this.#handlers.get(effect.class);
    if (!handler) throw new NoHandler(effect.class, effect.id);
    let done: ResultReport;
    try {
      done = report(effect.class, await handler(effect));
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      done = { outcome: 'rejected', error: error.message };
    }
    await this.#journal?.put(effect.id, done);
    return done;
  }

  async #report(effect: string, done: ResultReport): Promise<void> {
    try {
      await this.client.report(effect, done);
    } catch (error) {
      // It was taken back by a "stop", ended while it was performed, or was erased.
      if (!(error instanceof Problem && [404, 409].includes(error.status))) throw error;
      console.warn(`the effect ${effect} ended otherwise meanwhile: ${error.detail}`);
    }
    await this.#journal?.remove(effect);
  }

  async #reportKept(effect: string): Promise<void> {
    const done = await this.#journal?.get(effect);
    if (!done) return;
    try {
      await this.#report(effect, done);
    } catch (error) {
      // Its time was over, and it is uncertain now: a person is asked, unless the token may say it.
      if (!(error instanceof Problem)) throw error;
      console.warn(`what became of the effect ${effect} cannot be reported: ${error.detail}`);
    }
  }
}

function offered(effect: Effect): boolean {
  return effect.delivery === 'host' && effect.state === 'attempted';
}
