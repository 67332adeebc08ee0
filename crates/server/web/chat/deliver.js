// Delivering events, again until there is an answer.

const CSRF = document.querySelector('meta[name=csrf-token]').content;

/** Makes the key of an act: repeated under one key, it counts once. */
function fresh() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Delivers an event of this conversation. */
function deliver(event, key, seconds) {
  return post('/v1/events', { lane: { channel: 'web', conversation: page.conversation }, ...event }, key, seconds);
}

/** Sends a request repeatedly until there is an answer. */
async function post(path, what, key, seconds) {
  const body = JSON.stringify(what);
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key, 'X-CSRF-Token': CSRF };
  if (seconds) headers.Prefer = `wait=${seconds}`;
  for (let failed = 0; ; await pause(failed += 1)) {
    try {
      const answer = await fetch(path, { method: 'POST', headers, body, signal: AbortSignal.timeout(40_000) });
      if (await isOver(answer)) return { over: true };
      const told = await answer.json();
      if (source?.readyState === EventSource.OPEN || polling) connection('live');
      const again = answer.status >= 500 || ['TL-2202', 'TL-2207'].includes(told.code);
      if (!again) return { ok: answer.ok, told };
    } catch {
      connection('offline');
    }
  }
}

/** Reads JSON from the server. Returns null if it refuses, or if the network breaks before all of it is here. */
async function read(path) {
  try {
    const answer = await fetch(path);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** Returns true if the page's session has ended, and shows that. */
async function isOver(answer) {
  if (answer.status !== 401 && answer.status !== 403) return false;
  const { code, title } = await answer.clone().json().catch(() => ({}));
  if (code !== 'TL-2107' && code !== 'TL-2108' && code !== 'TL-2101') return false;
  if (!at('over')) {
    const reload = make('button', { type: 'button' }, t('reload'));
    reload.addEventListener('click', () => location.reload());
    const told = make('p', {}, t('kept', { title }));
    document.querySelector('.composer').prepend(make('div', { id: 'over', role: 'alert' }, told, reload));
  }
  return true;
}
