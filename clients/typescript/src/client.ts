/** Client of the HTTP API. */

import type * as api from './api.js';
import { type Call, type Outcome, headers, judge, lost, path, url } from './calls.js';
import { ThroughlineError } from './errors.js';
import { Patience } from './retry.js';
import { EventReader, type ServerSentEvent } from './sse.js';
import type { TenantEvent, TenantEvents } from './types.js';
import { mismatch } from './version.js';

/** Seconds without a byte after which a stream counts as lost; the server sends something every 15. */
const QUIET = 45;
/** Seconds for the way of a call, beside what the server may wait. */
const WAY = 20;

/** Options of a client. */
export interface ClientOptions {
  token?: string;
  /** Seconds that a call may take with its repetitions; 60 if absent. */
  patience?: number;
  /** Told if the server is of another line of versions; `console.warn` if absent. */
  onMismatch?: (warning: string) => void;
  fetch?: typeof fetch;
}

/** Key of a call that changes something: one of yours if it is to stay one act even when your process is restarted. */
export interface Keyed {
  key?: string;
}

/**
 * Client of one Throughline. A lost connection, 429 and 5xx are repeated, with one idempotency key per call, as long as
 * there is patience. A refusal is thrown as `Problem` at once.
 */
export class Throughline {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #patience: number;
  readonly #onMismatch: (warning: string) => void;
  readonly #fetch: typeof fetch;
  #compared = false;

  constructor(base: string, { token, patience = 60, onMismatch = console.warn, fetch: own }: ClientOptions = {}) {
    this.#base = new URL(base).href.replace(/\/+$/, '');
    // A token that no header can hold is said here, and not taken for a lost connection.
    new Headers(token ? { Authorization: `Bearer ${token}` } : {});
    this.#token = token;
    this.#patience = patience;
    this.#onMismatch = onMismatch;
    this.#fetch = own ?? ((...request) => fetch(...request));
  }

  /** Delivers an event and returns its turn, with the turns on what followed from it. */
  deliver(event: api.EventBody, { key, wait = 30 }: Keyed & { wait?: number } = {}): Promise<api.TurnAnswer> {
    return this.#change({ method: 'POST', path: path('events'), body: event, wait }, key);
  }

  /** Delivers an event and does not wait for its turn: the event is durable. */
  async post(event: api.EventBody, { key }: Keyed = {}): Promise<api.Received> {
    const call: Call = { method: 'POST', path: path('events'), body: event, atOnce: true };
    const answer = await this.#change<api.Received | api.TurnAnswer>(call, key);
    // The key was used before, for a delivery that waited.
    if ('turn' in answer) return { state: 'received', lane: answer.lane, href: path('turns', answer.turn) };
    return answer;
  }

  /** Reads a turn, by its id or by `key:` and the key of its delivery; waits until it has run. */
  turn(turn: string): Promise<api.Turn> {
    return this.#get(path('turns', turn));
  }

  /** Explains a turn: every rung with the predicate that failed. */
  why(turn: string): Promise<api.Why> {
    return this.#get(path('turns', turn, 'why'));
  }

  /** Explains a turn in plain words. */
  whyText(turn: string): Promise<string> {
    return this.#send({ method: 'GET', path: path('turns', turn, 'why'), accept: 'text/plain' });
  }

  /** Reads a lane in its current state. */
  lane(lane: string): Promise<api.Lane> {
    return this.#get(path('lanes', lane));
  }

  /** Lists the lanes. */
  lanes(): AsyncGenerator<api.LaneInfo> {
    return this.#pages(path('lanes'));
  }

  /** Lists a lane's messages: page by page back in time, within a page forward. */
  messages(lane: string): AsyncGenerator<api.Message> {
    return this.#pages(path('lanes', lane, 'messages'));
  }

  /** Lists a lane's turns, newest first. */
  turns(lane: string): AsyncGenerator<api.TurnInfo> {
    return this.#pages(path('lanes', lane, 'turns'));
  }

  /** Lists what waits for an answer. */
  pending(lane: string): Promise<api.Pending[]> {
    return this.#items(path('lanes', lane, 'pending'));
  }

  /** Reads the context that prompts give of a lane. */
  context(lane: string, { maxTokens }: { maxTokens?: number } = {}): Promise<api.Context> {
    return this.#get(path('lanes', lane, 'context'), { max_tokens: maxTokens });
  }

  /** Renders a supervisor's state. */
  renderContext(state: api.Render): Promise<api.Context> {
    return this.#send({ method: 'POST', path: path('context', 'render'), body: state });
  }

  /** Lists the facts of one place, including those that no longer count. */
  facts(scope: 'thread' | 'epic' | 'channel', id: string): Promise<api.Fact[]> {
    return this.#items(path('facts'), { scope, id });
  }

  /** States a fact. */
  stateFact(fact: api.StateFact, { key }: Keyed = {}): Promise<api.TurnAnswer> {
    return this.#change({ method: 'POST', path: path('facts'), body: fact, wait: 10 }, key);
  }

  /** Erases a fact; one of a thread needs its lane. */
  eraseFact(fact: string, { lane, key }: Keyed & { lane?: string } = {}): Promise<api.TurnAnswer> {
    return this.#change({ method: 'DELETE', path: path('facts', fact), query: { lane }, wait: 10 }, key);
  }

  /** Shows a list of options. */
  showOptions(lane: string, shown: api.ShownBody, { key }: Keyed = {}): Promise<api.OptionSetAnswer> {
    return this.#change({ method: 'POST', path: path('lanes', lane, 'option-sets'), body: shown, wait: 10 }, key);
  }

  /** Closes a list of options: nothing is chosen from it any more. */
  closeOptions(lane: string, set: string, { key }: Keyed = {}): Promise<api.OptionSetAnswer> {
    return this.#change({ method: 'DELETE', path: path('lanes', lane, 'option-sets', set), wait: 10 }, key);
  }

  /** Reports the place, and the option in it, that a user has before them. */
  setFocus(lane: string, focus: api.FocusBody, { key }: Keyed = {}): Promise<api.TurnAnswer> {
    return this.#change({ method: 'PUT', path: path('lanes', lane, 'focus'), body: focus, wait: 10 }, key);
  }

  /** Lists approvals at their current version, newest first. */
  approvals({ state = 'pending' }: { state?: 'pending' | 'all' } = {}): AsyncGenerator<api.Approval> {
    return this.#pages(path('approvals'), { state });
  }

  /** Reads an approval with its card. */
  approval(approval: string): Promise<api.Approval> {
    return this.#get(path('approvals', approval));
  }

  /**
   * Asks that a person approves an act of yours, which then comes as an effect `host.act`. Repeat it with the same
   * `request_id` and content when you do not know whether it arrived: it is one request.
   */
  requestApproval(
    lane: api.EventBody['lane'],
    approval: api.EventApproval,
    { actor, ...keyed }: Keyed & { actor?: string } = {},
  ): Promise<api.TurnAnswer> {
    const event: api.EventBody = { lane, kind: 'approval.requested', approval };
    if (actor !== undefined) event.actor = { id: actor };
    return this.deliver(event, keyed);
  }

  /** Decides an approval at the version that was seen. */
  decide(approval: string, decide: api.Decide, { key }: Keyed = {}): Promise<api.TurnAnswer> {
    return this.#change({ method: 'POST', path: path('approvals', approval, 'decide'), body: decide, wait: 30 }, key);
  }

  /** Lists effects, newest first. State `attempted` are those that were offered and not reported. */
  effects({ state, lane }: { state?: string; lane?: string } = {}): AsyncGenerator<api.Effect> {
    return this.#pages(path('effects'), { state, lane });
  }

  /** Reads an effect. */
  effect(effect: string): Promise<api.Effect> {
    return this.#get(path('effects', effect));
  }

  /** Reports what came of an effect. The key is the effect's id: a report is one act, whoever repeats it. */
  report(effect: string, report: api.ResultReport, { key = effect }: Keyed = {}): Promise<api.Settled> {
    return this.#change({ method: 'POST', path: path('effects', effect, 'result'), body: report }, key);
  }

  /** Resolves an effect with an unknown outcome: it happened, make it again, or drop it. */
  resolve(effect: string, resolve: api.Resolve, { key }: Keyed = {}): Promise<api.TurnAnswer> {
    return this.#change({ method: 'POST', path: path('effects', effect, 'resolve'), body: resolve, wait: 30 }, key);
  }

  /** Lists issues of the local tracker. */
  issues({ project, q }: { project?: string; q?: string } = {}): AsyncGenerator<api.Issue> {
    return this.#pages(path('tracker', 'issues'), { project, q });
  }

  /** Reads an issue of the local tracker. */
  issue(key: string): Promise<api.Issue> {
    return this.#get(path('tracker', 'issues', key));
  }

  /** Lists tools and sub-agents. */
  tools(): Promise<api.Tool[]> {
    return this.#items(path('tools'));
  }

  /** Reads the server's version. */
  version(): Promise<api.Version> {
    return this.#repeat({ method: 'GET', path: '/version' }) as Promise<api.Version>;
  }

  /**
   * Follows a lane, over lost connections: nothing is missing and nothing twice, but for effects and `status`.
   *
   * It begins behind the event `after` (`'0'` is the beginning), else now. Each connection begins with the effects that are
   * offered and not reported, without an id. It does not end by itself.
   */
  async *stream(lane: string, { after }: { after?: string } = {}): AsyncGenerator<api.LaneEvent> {
    for await (const { event, data, id } of this.#follow(path('lanes', lane, 'stream'), { after })) {
      yield { event, data: JSON.parse(data), ...(id === undefined ? {} : { id }) };
    }
  }

  /** Returns the events of a lane behind `after`; waits up to `wait` seconds for one. */
  poll(lane: string, { after, wait = 25 }: { after?: string; wait?: number } = {}): Promise<api.LaneEvent[]> {
    return this.#items(path('lanes', lane, 'events'), { after, wait }, wait);
  }

  /** Follows every lane of the tenant, over lost connections. `kinds` are the wanted types, all if absent. */
  async *events({ after, kinds }: { after?: string; kinds?: string[] } = {}): AsyncGenerator<TenantEvent> {
    for await (const { data } of this.#follow(path('stream'), { after, kinds: kinds?.join(',') })) {
      yield JSON.parse(data) as TenantEvent;
    }
  }

  /** Returns the tenant's events behind `after`, at most `limit`; waits up to `wait` seconds for one. */
  pollEvents(
    options: { after?: string; kinds?: string[]; wait?: number; limit?: number } = {},
  ): Promise<TenantEvents> {
    const { after, kinds, wait = 25, limit } = options;
    const query = { after, kinds: kinds?.join(','), wait, limit };
    return this.#send({ method: 'GET', path: path('events'), query, wait });
  }

  #get<T>(where: string, query: Call['query'] = {}): Promise<T> {
    return this.#send({ method: 'GET', path: where, query });
  }

  async #items<T>(where: string, query: Call['query'] = {}, wait?: number): Promise<T[]> {
    const call: Call = { method: 'GET', path: where, query };
    if (wait !== undefined) call.wait = wait;
    return (await this.#send<{ items: T[] }>(call)).items;
  }

  #change<T>(call: Call, key: string = newKey()): Promise<T> {
    return this.#send({ ...call, key });
  }

  async *#pages<T>(where: string, query: Call['query'] = {}): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const page: { items: T[]; next?: string | null } = await this.#get(where, { ...query, limit: 200, cursor });
      yield* page.items;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }

  async #send<T>(call: Call): Promise<T> {
    await this.#compareVersions();
    return (await this.#repeat(call)) as T;
  }

  async #repeat(call: Call): Promise<unknown> {
    const patience = new Patience(this.#patience, performance.now() / 1000);
    for (;;) {
      const outcome = await this.#try(call);
      if ('value' in outcome) return outcome.value;
      await pauseBefore(outcome, patience);
    }
  }

  async #try(call: Call): Promise<Outcome> {
    let answer: Response;
    let body: string;
    try {
      answer = await this.#fetch(url(this.#base, call), {
        method: call.method,
        headers: headers(call, this.#token),
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        signal: AbortSignal.timeout(((call.wait ?? 0) + WAY) * 1000),
      });
      body = await answer.text();
    } catch (why) {
      return lost(call, why);
    }
    return judge(call, answer.status, answer.headers, body);
  }

  async *#follow(where: string, query: Call['query']): AsyncGenerator<ServerSentEvent> {
    await this.#compareVersions();
    const call: Call = { method: 'GET', path: where, query: query ?? {}, accept: 'text/event-stream' };
    const patience = new Patience(this.#patience, performance.now() / 1000);
    let last: string | undefined;
    for (;;) {
      const connection = new Connection();
      let outcome: Outcome;
      try {
        const resume: Record<string, string> = last === undefined ? {} : { 'Last-Event-ID': last };
        const answer = await this.#fetch(url(this.#base, call), {
          headers: { ...headers(call, this.#token), ...resume },
          signal: connection.signal,
        });
        if (answer.status === 200 && answer.body) {
          for await (const event of connection.events(answer.body, () => patience.renew(performance.now() / 1000))) {
            last = event.id ?? last;
            yield event;
          }
          outcome = lost(call, 'the stream ended');
        } else {
          outcome = judge(call, answer.status, answer.headers, await answer.text());
        }
      } catch (why) {
        outcome = lostOrThrown(call, why);
      } finally {
        connection.end();
      }
      await pauseBefore(outcome, patience);
    }
  }

  /** Warns once if the server is of another line. A server that cannot be asked is asked with the next call. */
  async #compareVersions(): Promise<void> {
    if (this.#compared) return;
    let version: api.Version;
    try {
      const outcome = await this.#try({ method: 'GET', path: '/version' });
      if (!('value' in outcome)) return;
      version = outcome.value as api.Version;
    } catch {
      return;
    }
    if (this.#compared) return;
    this.#compared = true;
    const told = mismatch(version.version);
    if (told !== undefined) this.#onMismatch(told);
  }
}

/** One connection of a stream, which counts as lost after a time without a byte. */
class Connection {
  readonly #abort = new AbortController();
  #quiet: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#heard();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async *events(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<ServerSentEvent> {
    const [reader, decoder, chunks] = [new EventReader(), new TextDecoder(), body.getReader()];
    for (;;) {
      const { done, value } = await chunks.read();
      if (done) return;
      this.#heard();
      heard();
      yield* reader.feed(decoder.decode(value, { stream: true }));
    }
  }

  end(): void {
    clearTimeout(this.#quiet);
    this.#abort.abort();
  }

  #heard(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#abort.abort(new Error(`no byte came for ${QUIET} seconds`)), QUIET * 1000);
  }
}

/** A refusal is thrown on; everything else that happens to a connection is a lost one. */
function lostOrThrown(call: Call, why: unknown): Outcome {
  if (why instanceof ThroughlineError) throw why;
  return lost(call, why);
}

/** Pauses before the repetition, or throws the error if there is no patience left. */
async function pauseBefore(outcome: Outcome, patience: Patience): Promise<void> {
  if ('value' in outcome) return;
  const pause = patience.pause(performance.now() / 1000, outcome.asked);
  if (pause === undefined) throw outcome.again;
  await new Promise((resume) => setTimeout(resume, pause * 1000));
}

/** Returns a new idempotency key. `randomUUID` is missing on pages that are not served over HTTPS. */
function newKey(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
