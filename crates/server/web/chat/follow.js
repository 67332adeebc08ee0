// Following the conversation: a stream, or polling where a proxy holds streams back.

const POLL = `/v1/lanes/${page.lane}/events`;
/** Silence in ms after which a proxy is assumed to hold the stream back. */
const HELD_BACK = 10_000;
/** Seconds that a poll waits for an event. Tabs that share no stream may not hold a connection each. */
const POLLS = SharedStream.usable ? 25 : 0;
/** Time in ms that a hidden tab keeps its stream. */
const UNSEEN = 60_000;

let source = null;
let polling = null;
let watchdog = 0;
let heldBack = false;

const STATES = { connecting: t('connecting'), live: t('live'), offline: t('offline') };

function connection(state) {
  const shown = at('connection');
  if (shown.dataset.connection === state && !shown.hidden) return;
  shown.hidden = false;
  shown.dataset.connection = state;
  shown.textContent = STATES[state];
}

/** Follows the conversation, once it exists. */
function follow() {
  leave();
  if (page.begun !== 'yes') return connection('live');
  if (heldBack || !SharedStream.usable) return poll();
  source = new SharedStream(me, page.lane, last);
  watch();
  for (const name of Object.keys(happenings)) source.addEventListener(name, hear);
  source.addEventListener('error', () => {
    connection('offline');
    // The browser reconnects by itself, with Last-Event-ID, unless the answer was an error.
    if (source?.readyState === EventSource.CLOSED) poll();
    else watch();
  });
}

function hear({ type, data, lastEventId }) {
  clearTimeout(watchdog);
  connection('live');
  happened(type, JSON.parse(data), type === 'status' ? '' : lastEventId);
}

function watch() {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => { heldBack = true; poll(); }, HELD_BACK);
}

function leave() {
  clearTimeout(watchdog);
  source?.close();
  polling?.abort();
  source = polling = null;
  shrink();
}

/** Follows by long polling; returns to the stream if the stream was not the problem. */
async function poll() {
  leave();
  const mine = polling = new AbortController();
  for (let failed = 0; polling === mine;) {
    try {
      const answer = await fetch(`${POLL}?after=${last}&wait=${failed ? 0 : POLLS}`, { signal: mine.signal });
      if (await isOver(answer)) return leave();
      if (!answer.ok) throw new Error(answer.status);
      const { items } = await answer.json();
      connection('live');
      for (const { event, data, id } of items) happened(event, data, id);
      failed = 0;
      if (!heldBack && SharedStream.usable) return follow();
      if (!POLLS) await pause(4);
    } catch {
      if (polling !== mine) return;
      connection('offline');
      await pause(failed += 1);
    }
  }
}

/** Pause after a failure: it grows to at most five seconds, and ends when the network is back. */
function pause(failed) {
  return new Promise(go => {
    setTimeout(go, Math.min(5_000, 250 * 2 ** failed));
    addEventListener('online', go, { once: true });
  });
}
