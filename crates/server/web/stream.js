// One stream for all tabs of a browser, since a browser has six connections for a host. One tab leads: it holds the lock and the
// connection, and passes events on. When it closes, the next tab leads. It comes before chat/page.js in one file.

/** Time in ms in which several tabs are one reason to connect anew. */
const GATHERED = 50;
/** Silence in ms of a leading tab after which it is taken for frozen. */
const FROZEN = 3_000;
/** Pause in ms before the leading tab connects again. */
const AGAIN = 1_000;

/** Place of an event in its lane, so that an id of a whole revision is behind its events. */
const placeOf = id => String(id).split('.').map(Number).concat(Infinity).slice(0, 2);
const isAfter = ([revision, place], [other, its]) => revision > other || (revision === other && place > its);

/** Events of one lane, like an EventSource, over the connection of all tabs. */
class SharedStream extends EventTarget {
  /** True if the browser can elect a tab; without, every tab would need a connection of its own. */
  static usable = 'locks' in navigator && 'BroadcastChannel' in globalThis;

  readyState = EventSource.CONNECTING;
  #tab = Math.random().toString(36).slice(2);
  #lane;
  #after;
  #name;
  #channel;
  #waiting = new AbortController();
  #frozen = 0;
  /** What this tab does while it leads. */
  #lead = null;

  constructor(user, lane, after) {
    super();
    this.#lane = lane;
    this.#after = String(after);
    this.#name = `throughline:${user}`;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.addEventListener('message', ({ data }) => this.#hear(data));
    this.#ask();
    this.#await({ signal: this.#waiting.signal });
    this.#frozen = setTimeout(() => this.#await({ steal: true }), FROZEN);
  }

  close() {
    this.readyState = EventSource.CLOSED;
    clearTimeout(this.#frozen);
    this.#waiting.abort();
    this.#lead?.end();
    this.#channel.postMessage({ left: this.#tab });
    this.#channel.close();
  }

  /** Waits until this tab leads. A lock that was taken away rejects: then another tab leads. */
  #await(how) {
    navigator.locks.request(this.#name, how, () => {
      if (this.readyState === EventSource.CLOSED) return null;
      this.#lead = new Lead(told => { this.#channel.postMessage(told); this.#hear(told); });
      this.#channel.postMessage({ who: true });
      this.#ask();
      return this.#lead.over;
    }).catch(() => this.#lead?.end());
  }

  /** Tells the leading tab what this one follows. */
  #ask() {
    const wish = { tab: this.#tab, lane: this.#lane, after: this.#after };
    if (this.#lead) this.#lead.add(wish);
    else this.#channel.postMessage({ wish });
  }

  #hear({ who, wish, left, here, told, failed }) {
    if (wish) this.#lead?.add(wish);
    if (left) this.#lead?.drop(left);
    if (who && !this.#lead) this.#ask();
    if (here || told || failed) clearTimeout(this.#frozen);
    if (told) this.#tell(told);
    if (failed) {
      this.readyState = failed === 'closed' ? EventSource.CLOSED : EventSource.CONNECTING;
      this.dispatchEvent(new Event('error'));
    }
  }

  #tell({ lane, event, id, data }) {
    if (event === 'conversations') return dispatchEvent(new Event('conversations'));
    if (lane !== this.#lane || this.readyState === EventSource.CLOSED) return;
    this.readyState = EventSource.OPEN;
    if (event === 'refused') {
      this.readyState = EventSource.CLOSED;
      return this.dispatchEvent(new Event('error'));
    }
    if (id) {
      // Another tab may have asked for earlier events.
      if (!isAfter(placeOf(id), placeOf(this.#after))) return;
      this.#after = id;
    }
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data), lastEventId: id ?? '' }));
  }
}

/** The connection, while this tab leads. */
class Lead {
  /** Ends when this tab leads no more. */
  over = new Promise(end => { this.release = end; });
  #say;
  #wishes = new Map();
  #source = null;
  #timer = 0;
  #ended = false;

  constructor(say) {
    this.#say = say;
  }

  end() {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#source?.close();
    this.release();
  }

  add(wish) {
    this.#wishes.set(wish.tab, wish);
    this.#say({ here: true });
    this.#soon(GATHERED);
  }

  drop(tab) {
    this.#wishes.delete(tab);
  }

  #soon(time) {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(() => this.#open(), time);
  }

  /** Connects for the lanes of all tabs, each from where the tab that is furthest behind goes on. */
  #open() {
    this.#source?.close();
    const from = new Map();
    for (const { lane, after } of this.#wishes.values()) {
      if (!from.has(lane) || isAfter(placeOf(from.get(lane)), placeOf(after))) from.set(lane, after);
    }
    if (from.size === 0) return;
    const source = this.#source = new EventSource(`/follow?lanes=${[...from].map(wish => wish.join(':')).join(',')}`);
    source.addEventListener('message', ({ data }) => this.#tell(JSON.parse(data)));
    source.addEventListener('error', () => {
      const closed = source.readyState === EventSource.CLOSED;
      source.close();
      if (closed) this.#wishes.clear();
      else this.#soon(AGAIN);
      this.#say({ failed: closed ? 'closed' : 'again' });
    });
  }

  #tell(told) {
    for (const wish of this.#wishes.values()) {
      if (wish.lane !== told.lane) continue;
      if (told.event === 'refused') this.#wishes.delete(wish.tab);
      if (told.id && isAfter(placeOf(told.id), placeOf(wish.after))) wish.after = told.id;
    }
    this.#say({ told });
  }
}
