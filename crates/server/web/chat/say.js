// Saying: the messages on their way, and the composer.

/** Data of this person and conversation that must survive a reload. */
const kept = name => `${name}:${me}:${page.conversation}`;
const outbox = JSON.parse(sessionStorage.getItem(kept('outbox')) ?? '[]');
let flushing = false;

function keep() {
  const unsent = outbox.filter(entry => !entry.sent).map(({ key, words, to, seen, files }) => ({ key, words, to, seen, files }));
  sessionStorage.setItem(kept('outbox'), JSON.stringify(unsent));
}

function send(words, to, files = []) {
  if (!words.trim() && !files.length) return;
  // What arrives from now on, also while the server is away, is not what these words are about.
  outbox.push({ key: fresh(), words, to, files, seen: Number.parseInt(last, 10) });
  keep();
  outbox.at(-1).shown = sending(outbox.at(-1));
  toEnd();
  flush();
}

/** Typed messages that the conversation does not have yet. */
function sending({ key, words, files }) {
  const shown = make('article', { class: 'message mine sending', 'data-key': key, 'aria-live': 'off' },
    make('header', {}, make('span', { class: 'who' }, t('you')), make('span', { class: 'state' }, t('sending'))),
    words.trim() ? make('div', { class: 'text' }, words) : null, filesOf(files));
  log.append(shown);
  at('welcome')?.remove();
  return shown;
}

/** Sends waiting messages one after the other, so that their order is kept. */
async function flush() {
  if (flushing) return;
  flushing = true;
  for (let entry; (entry = outbox.find(it => !it.sent && !it.refused));) {
    const files = entry.files?.length ? entry.files.map(({ id }) => ({ id })) : undefined;
    const event = { kind: 'message.posted', text: entry.words, files, message_id: entry.key, reply_to: entry.to, seen: entry.seen };
    const { ok, told, over } = await deliver(event, entry.key);
    if (over) break;
    if (ok) accepted(entry);
    else refuse(entry, told);
  }
  flushing = false;
}

function accepted(entry) {
  entry.sent = true;
  entry.shown.querySelector('.state').textContent = t('sent');
  keep();
  renewList();
  begin();
}

/** Begins to follow a conversation that now exists. */
function begin() {
  if (page.begun === 'yes') return;
  page.begun = 'yes';
  follow();
}

function refuse(entry, told) {
  entry.refused = true;
  const again = make('button', { type: 'button' }, t('send-again'));
  again.addEventListener('click', () => { drop(entry); send(entry.words, entry.to, entry.files); });
  const away = make('button', { type: 'button' }, t('discard'));
  away.addEventListener('click', () => { drop(entry); text.focus(); });
  entry.shown.classList.add('refused');
  entry.shown.querySelector('.state').textContent = t('not-sent');
  entry.shown.append(make('p', { class: 'wrong', role: 'alert' }, refusal(told)), make('div', { class: 'actions' }, again, away));
}

function drop(entry) {
  const place = outbox.indexOf(entry);
  if (place >= 0) outbox.splice(place, 1);
  entry.shown.remove();
  keep();
}

async function submitSay(event) {
  event.preventDefault();
  closeMenu();
  if (edits) return sendEdit(text.value);
  const files = attached.length ? await takeAttached() : [];
  if (!files) return;
  send(inFull(text.value), at('reply').value || undefined, files);
  text.value = '';
  keepDraft();
  replyTo(null);
  text.focus();
}

/** Neither replies nor edits any more. */
function leaveAside() {
  if (edits) leaveEdit();
  replyTo(null);
}

function keepDraft() {
  if (!edits) sessionStorage.setItem(kept('draft'), text.value);
  if (CSS.supports('field-sizing', 'content')) return;
  text.style.height = 'auto';
  text.style.height = `${text.scrollHeight}px`;
}

function enterSends(event) {
  if (keyInMenu(event)) return;
  if (event.key === 'Escape' && (edits || at('reply').value)) return leaveAside();
  if (event.key === 'ArrowUp' && !text.value) return log.querySelector('.edit-own')?.click();
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  if (text.value.trim() || attached.length) say.requestSubmit();
}
