// Files: those that wait at the composer, and those of messages, as in parts.html.

const MOST_FILES = 10;
const MOST_BYTES = 5 * 1024 * 1024;
/** Pictures that a browser shows in their place, as in files.rs. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Files at the composer: on their way, kept, or refused. */
let attached = [];

/** Returns a size as the server says it. */
function sizeOf(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Makes the list of a message's files. */
function filesOf(files = []) {
  if (!files.length) return null;
  const shown = ({ kind, name = kind, mime, bytes, id }) => {
    const size = bytes ? make('small', {}, sizeOf(bytes)) : null;
    if (!id) return make('li', {}, make('span', { class: 'file' }, name, ' ', size));
    const opens = { href: `/files/${id}`, target: '_blank', rel: 'noopener' };
    const picture = PICTURES.includes(mime);
    return make('li', {}, picture
      ? make('a', { ...opens, class: 'picture' }, make('img', { src: `/files/${id}`, alt: name, loading: 'lazy' }))
      : make('a', { ...opens, class: 'file' }, name, ' ', size));
  };
  return make('ul', { class: 'files' }, ...files.map(shown));
}

/** Returns true if the words of a message are only the names of its files. */
function namesFiles(words, files = []) {
  const names = files.map(({ kind, name }) => name ? `${kind} ${name}` : kind);
  return names.length > 0 && words === `(${names.join(', ')})`;
}

/** Sends chosen files to be kept, and shows each at the composer. */
function attach(files) {
  for (const file of files) {
    if (attached.length >= MOST_FILES) { toast(t('too-many-files', { most: MOST_FILES }), true); break; }
    if (file.size > MOST_BYTES) { toast(t('file-too-large', { name: file.name }), true); continue; }
    const one = { name: file.name || t('picture'), mime: file.type, bytes: file.size };
    one.shown = chip(one);
    attached.push(one);
    one.sent = keepFile(one, file);
  }
  showAttached();
}

async function keepFile(one, file) {
  const query = new URLSearchParams({ channel: 'web', conversation: page.conversation, name: one.name });
  const headers = { 'Content-Type': file.type || 'application/octet-stream', 'X-CSRF-Token': CSRF };
  try {
    const answer = await fetch(`/v1/files?${query}`, { method: 'POST', headers, body: file });
    if (await isOver(answer)) return detach(one);
    const told = await answer.json();
    if (!answer.ok) throw new Error(refusal(told));
    const { id, name, mime, bytes } = told;
    Object.assign(one, { id, name, mime, bytes, kind: kindOf(mime) });
    one.shown.removeAttribute('aria-busy');
    // It may have been taken away while it was on its way.
    if (attached.includes(one)) keepAttached();
    else removeFile(one);
  } catch (error) {
    one.lost = true;
    detach(one);
    const offline = error instanceof TypeError;
    toast(offline ? t('file-not-kept', { name: one.name }) : `${one.name}: ${error.message}`, true);
  }
}

/** Returns the kind of a media type, as the server says it. */
function kindOf(mime) {
  return { image: 'photo', audio: 'audio', video: 'video' }[mime.split('/')[0]] ?? 'file';
}

/** Makes the sign of a file at the composer, with its way out. */
function chip(one) {
  const away = make('button', { type: 'button', 'aria-label': t('detach', { name: one.name }) }, '×');
  away.addEventListener('click', () => { removeFile(one); text.focus(); });
  return make('li', { 'aria-busy': one.id ? null : 'true' }, make('span', {}, one.name), ' ', make('small', {}, sizeOf(one.bytes)), away);
}

/** Takes a file away, here and where it is kept. */
function removeFile(one) {
  detach(one);
  // Without an answer it stays kept, and is named by no message.
  if (one.id) fetch(`/v1/files/${one.id}`, { method: 'DELETE', headers: { 'X-CSRF-Token': CSRF } }).catch(() => {});
}

function detach(one) {
  attached = attached.filter(other => other !== one);
  keepAttached();
  showAttached();
}

function showAttached() {
  at('attached').hidden = !attached.length;
  at('attached').replaceChildren(...attached.map(({ shown }) => shown));
  text.required = !attached.length;
}

/** Keeps what is attached over a reload, as far as it has arrived. */
function keepAttached() {
  const files = attached.filter(({ id }) => id).map(({ id, kind, name, mime, bytes }) => ({ id, kind, name, mime, bytes }));
  sessionStorage.setItem(kept('files'), JSON.stringify(files));
}

/**
 * Returns the files for a message once all of them have arrived, and leaves none at the composer. Returns null if one of them did
 * not: its person has been told, and the message is not sent without it.
 */
async function takeAttached() {
  const all = attached;
  await Promise.all(all.map(({ sent }) => sent));
  if (all.some(({ lost }) => lost)) return null;
  const files = attached.map(({ id, kind, name, mime, bytes }) => ({ id, kind, name, mime, bytes }));
  attached = [];
  keepAttached();
  showAttached();
  return files;
}

function listenToFiles() {
  attached = JSON.parse(sessionStorage.getItem(kept('files')) ?? '[]');
  for (const one of attached) one.shown = chip(one);
  showAttached();
  const [choose, chosen] = [at('attach'), at('files')];
  choose.hidden = false;
  choose.addEventListener('click', () => chosen.click());
  chosen.addEventListener('change', () => { attach(chosen.files); chosen.value = ''; text.focus(); });
  text.addEventListener('paste', event => {
    if (!event.clipboardData.files.length) return;
    event.preventDefault();
    attach(event.clipboardData.files);
  });
  const drags = event => event.dataTransfer?.types.includes('Files');
  addEventListener('dragover', event => { if (drags(event)) { event.preventDefault(); say.classList.add('dropping'); } });
  addEventListener('dragleave', event => { if (!event.relatedTarget) say.classList.remove('dropping'); });
  addEventListener('drop', event => {
    say.classList.remove('dropping');
    if (!drags(event)) return;
    event.preventDefault();
    attach(event.dataTransfer.files);
    text.focus();
  });
}
