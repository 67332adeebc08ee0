// The chat's script: follows the conversation, sends messages and presses, and opens forms. Without it the page
// consists of links and forms with these functions.
//
// The scripts of the stream (stream.js), the list and the earlier messages are in one file with it, and so is the workspace's, which
// uses its functions.
//
// Sections: words · elements · messages and cards, as in parts.html · events, folded as in history.rs · following · delivering ·
// saying · replying · pressing · forms · Why? · scrolling · toasts · the beginning.

const page = document.body.dataset;
const me = page.user;
const at = id => document.getElementById(id);
const [log, end, press, working] = ['log', 'end', 'press', 'working'].map(at);
const [say, text, waiting, newest] = ['say', 'text', 'waiting', 'newest'].map(at);

// ---------------------------------------------------------------- words

/** The sentences of this page in its language, brought along by the server. */
const WORDS = JSON.parse(document.querySelector('meta[name=words]').content);

/** Says a sentence with its values. */
function t(id, values = {}) {
  return WORDS[id].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Tells why a request was refused. What is said of the occurrence is in English, the title in the reader's language. */
function refusal({ title, detail }) {
  return document.documentElement.lang === 'en' ? detail ?? title : title;
}

// ---------------------------------------------------------------- elements

/** Makes an element with attributes and children; null and undefined are left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

/** Removes the whitespace between the tags of the server's markup. */
function tighten(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const blank = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!data.trim() && !parentElement.closest('.text, dd, li, h3')) blank.push(texts.currentNode);
  }
  for (const node of blank) node.remove();
}

// ---------------------------------------------------------------- times

// Format of times on cards: 10:02.
const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'long', day: 'numeric', month: 'long' });
const moment = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'full', timeStyle: 'short' });
const dayOf = time => new Date(time).toLocaleDateString('sv');

function nameOfDay(day) {
  const ago = Math.round((new Date(dayOf(Date.now())) - new Date(day)) / 86_400_000);
  return [t('today'), t('yesterday')][ago] ?? date.format(new Date(`${day}T12:00`));
}

/** Updates the separators between days. */
function separate() {
  for (const old of log.querySelectorAll('.day')) old.remove();
  let day = '';
  for (const article of log.querySelectorAll('article:not(.sending)')) {
    const its = dayOf(article.querySelector('time').dateTime);
    if (its !== day) article.before(make('h2', { class: 'day' }, make('time', { datetime: its }, nameOfDay(its))));
    day = its;
  }
}

// ---------------------------------------------------------------- messages and cards, as in parts.html

const KICKERS = {
  draft_preview: 'preview',
  multi_ticket_preview: 'preview',
  scope_gate: 'question',
  uncertain_effect: 'no-answer-yet',
  uncertain_call: 'no-answer-yet',
  receipt: 'receipt',
  remembered: 'remembered',
  decision_preview: 'decision',
  review_active: 'review',
  review_frozen: 'review-frozen',
  options: 'options',
};
const WHO = { mine: t('you'), notice: t('only-you'), ours: 'Throughline' };

function button({ action, label, name, on, blocked, token }, extra = {}) {
  if (blocked) return make('button', { type: 'button', disabled: '', 'data-action': action, 'aria-label': `${name}. ${blocked}`, title: blocked }, label);
  const toggles = on === undefined ? {} : { role: 'switch', 'aria-checked': on };
  const sends = { type: 'submit', form: 'press', name: 'token', value: token };
  return make('button', { ...sends, 'data-action': action, 'aria-label': name, ...toggles, ...extra }, label);
}

function option(it) {
  return button(it, { role: 'radio', 'aria-checked': false });
}

/** Makes the group of a list's options, each with its position, label and distinguishing details. */
function choicesOf({ title, items }) {
  const choice = ({ id, label, state, buttons }) => buttons.map(it => {
    const told = { 'aria-label': `${label}. ${it.name}${state ? `, ${state}` : ''}`, 'data-item': id };
    const shown = button(it, { role: 'radio', 'aria-checked': false, ...told });
    shown.replaceChildren(make('span', { class: 'place' }, label), ' ', make('span', {}, it.label),
      ...(state ? [' ', make('small', {}, state)] : []));
    return shown;
  });
  return make('div', { class: 'options listed', role: 'radiogroup', 'aria-label': title }, ...items.flatMap(choice));
}

function listOf(kind, items) {
  return items.length ? make('ul', { class: kind }, ...items) : null;
}

function fieldsOf(fields) {
  const shown = ({ name, label, text, note }) =>
    make('div', { 'data-field': name, ...(text || note ? {} : { hidden: '' }) }, make('dt', {}, label),
      make('dd', {}, text, ...(note ? [' ', make('small', { class: 'note' }, note)] : [])));
  return fields.length ? make('dl', { class: 'fields' }, ...fields.map(shown)) : null;
}

function linkOf(url) {
  if (!url) return null;
  const here = url.startsWith('/') && !url.startsWith('//') && !url.includes('\\');
  return make('p', { class: 'link' }, here ? make('a', { href: url }, t('open', { what: url.split('/').pop() })) : url);
}

function buttonsOf({ step, title, buttons }) {
  if (!buttons) return [];
  if (step !== 'scope_gate') return [make('div', { class: 'actions' }, ...buttons.map(it => button(it)))];
  const [options, toggles] = [buttons.filter(it => it.on === undefined), buttons.filter(it => it.on !== undefined)];
  return [
    make('div', { class: 'options', role: 'radiogroup', 'aria-label': title }, ...options.map(option)),
    make('div', { class: 'actions' }, ...toggles.map(it => button(it))),
  ];
}

function errorsOf(errors) {
  const told = ({ field, text }) => text.toLowerCase().includes(field) ? `✗ ${text}` : `✗ ${text} (${field})`;
  return listOf('errors', errors.map(error => make('li', { 'data-field': error.field }, told(error))));
}

/** Returns the texts of an item after the first. */
function detailsOf(fields) {
  if (!fields.length) return null;
  const first = fields.find(({ name, text }) => text && name !== 'title');
  const summary = make('summary', {}, make('span', { class: 'unseen' }, t('details')), ' ', make('span', { class: 'teaser' }, first?.text ?? ''));
  return make('details', { hidden: first ? null : '' }, summary, fieldsOf(fields));
}

function itemOf({ id, label, title, state, fields = [], errors = [], link, buttons = [] }) {
  return make('li', { 'data-item': id, 'aria-label': `${label}: ${title}` },
    make('p', { class: 'name' }, make('span', { class: 'label' }, label), ' ', make('b', {}, title),
      ...(state ? [' ', make('span', { class: 'state' }, state)] : [])),
    make('div', { class: 'foot' },
      errorsOf(errors),
      detailsOf(fields),
      linkOf(link),
      buttons.length ? make('div', { class: 'actions' }, ...buttons.map(it => button(it))) : null));
}

function cardOf(card) {
  const { id, version, step, title, hash, facts = [], fields = [], items = [], errors = [], link } = card;
  const [heading, ...told] = step === 'receipt' ? title.split(' · ') : [title];
  return make('section',
    { class: 'card', 'data-card': id, 'data-version': version, 'data-step': step, 'aria-label': title },
    make('header', {},
      make('p', { class: 'kicker' }, t(KICKERS[step] ?? 'card')),
      hash ? make('p', { class: 'mark' }, `v${version} · ${hash}`) : null,
      make('h3', { tabindex: -1 }, heading)),
    listOf('facts', [...told, ...facts].map(fact => make('li', {}, fact))),
    fieldsOf(fields),
    errorsOf(errors),
    items.length ? step === 'options' ? choicesOf(card) : make('ol', { class: 'items' }, ...items.map(itemOf)) : null,
    linkOf(link),
    ...buttonsOf(card));
}

function articleOf({ id, key, turn, at, side, who, text, gone, card }) {
  const named = side === 'notice' ? { 'data-notice': id } : { 'data-message': id };
  const quiet = side === 'notice' || side === 'mine' ? { 'aria-live': 'off' } : {};
  const words = gone ? t('removed') : text;
  const asks = side === 'ours' || side === 'notice';
  const answers = page.replies && (side === 'ours' || side === 'theirs');
  const why = () => make('form', { class: 'why', method: 'get', action: `/turns/${turn}` },
    make('button', { type: 'submit', 'aria-expanded': false }, t('why')));
  const reply = () => make('a', { class: 'reply', href: `${page.replies}&reply=${id}#text` }, t('reply'));
  return make('article', { ...named, 'data-key': key, ...quiet, 'data-turn': turn, class: `message ${side}` },
    make('header', {}, make('span', { class: 'who' }, WHO[side] ?? who), make('time', { datetime: at })),
    card ? cardOf(card) : make('div', { class: gone ? 'text gone' : 'text' }, words),
    asks || answers ? make('footer', {}, asks ? why() : null, answers ? reply() : null) : null);
}

/** Describes the target of an address of this site; returns nothing for any other. */
function named(address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.origin !== location.origin) return null;
  if (url.searchParams.get('c') === page.conversation) return t('this-conversation');
  return url.pathname.startsWith('/tracker/') ? url.pathname.split('/').pop() : url.pathname;
}

/** Turns addresses of this site in our messages into links. */
function linkify(element) {
  if (element.querySelector('a')) return;
  const parts = element.textContent.split(/(https?:\/\/\S+)/).filter(part => part);
  const link = address => make('a', { href: address }, parts.length > 1 ? named(address) : t('open', { what: named(address) }));
  const links = parts.map(part => named(part) ? link(part) : part);
  if (links.some(part => part instanceof Element)) element.replaceChildren(...links);
}

/** Separates lists written with bullets, line by line, and the text above them. */
function layOut(element) {
  const lines = element.textContent.split('\n');
  const bullet = line => line?.startsWith('• ');
  if (!lines.some(bullet)) return;
  const kind = (line, place) => bullet(line) ? 'line bullet' : bullet(lines[place + 1]) ? 'line over' : 'line';
  element.replaceChildren(...lines.map((line, place) => make('span', { class: kind(line, place) }, line)));
}

/** Adds what needs a script: local times, and one Tab stop for a group of options. */
function enhance(article) {
  const time = article.querySelector('time');
  if (time) {
    const when = new Date(time.dateTime);
    time.textContent = clock.format(when);
    time.title = moment.format(when);
  }
  for (const ours of article.querySelectorAll('.ours > .text, .facts > li, .card > .link')) linkify(ours);
  for (const ours of article.querySelectorAll('.ours > .text:not(:has(a))')) layOut(ours);
  for (const group of article.querySelectorAll('[role=radiogroup]')) {
    [...group.children].forEach((radio, place) => { radio.tabIndex = place ? -1 : 0; });
  }
  return article;
}

const find = (kind, id) => log.querySelector(`article[data-${kind}="${CSS.escape(id)}"]`);

/** Inserts an article after the messages, before those still being sent. */
function append(article) {
  const followed = atEnd();
  log.insertBefore(enhance(article), log.querySelector('.sending'));
  at('welcome')?.remove();
  separate();
  if (followed) toEnd();
  else newest.hidden = false;
  if (document.hidden) unseen(1);
}

/** Replaces a card by its new state, keeping the focus. */
function change(section, card) {
  const followed = atEnd();
  const active = section.contains(document.activeElement) ? document.activeElement : null;
  const held = active && { action: active.dataset.action ?? '', item: itemAround(active) };
  const fresh = enhance(cardOf(card));
  for (const { name, value } of fresh.attributes) section.setAttribute(name, value);
  section.removeAttribute('aria-busy');
  section.replaceChildren(...fresh.childNodes);
  if (held) standOn(section, held.action, held.item);
  if (followed) toEnd();
  form?.look();
}

/** Returns the id of the item an element is in; none for the card's own elements. */
const itemAround = element => element.closest('[data-item]')?.dataset.item;

/** Returns the part of a card that a form edits: one of its items, or the card itself. */
const partOf = (section, item) => item ? section.querySelector(`[data-item="${CSS.escape(item)}"]`) : section;

/** Returns the button of an action, of an item or of the card itself. */
function actionIn(section, action, item) {
  const wanted = `[data-action="${action}"]`;
  const part = partOf(section, item);
  // An option of a list is a button itself.
  const buttons = part ? [part, ...part.querySelectorAll(wanted)] : [];
  return buttons.find(it => it.matches(wanted) && itemAround(it) === item);
}

/** Focuses the button of an action, or the heading if it is gone. */
function standOn(section, action, item) {
  const again = action && actionIn(section, action, item);
  // A button that is blocked meanwhile takes no focus.
  (again && !again.disabled ? again : section.querySelector('h3')).focus({ preventScroll: true });
}

// ---------------------------------------------------------------- events, folded as in history.rs

let last = page.revision;
let turn = {};

const happenings = {
  turn(info) { turn = info; },

  message(message) {
    const { id, message_id: key, role, by, text, at = turn.at, card, gone } = message;
    const sent = key && outbox.find(entry => entry.key === key);
    if (sent) drop(sent);
    if (find('message', id)) return;
    const side = gone || role !== 'user' ? 'ours' : by === me ? 'mine' : 'theirs';
    append(articleOf({ id, key, turn: turn.turn, at, side, who: by, text, gone, card }));
  },

  card({ message, card, posted }) {
    const shown = find('message', message)?.querySelector('.card');
    if (shown) change(shown, card);
    else if (posted) append(articleOf({ id: message, turn: turn.turn, at: turn.at, side: 'ours', card }));
  },

  effect(effect) {
    if (effect.class !== 'notice' || effect.to !== me || find('notice', effect.id)) return;
    append(articleOf({ id: effect.id, turn: turn.turn, at: turn.at, side: 'notice', text: effect.text }));
    const urgent = turn.decision === 'refused';
    const tell = () => toast(effect.text, urgent);
    if (form) form.hold(turn.turn, tell);
    else tell();
  },

  pending({ items }) {
    const asks = ({ class: kind, asked_of: of }) => kind === 'conversational' && (of ?? me) === me;
    wait(items.find(asks)?.anchor);
  },

  status({ asking }) { working.textContent = asking ? t('thinking') : ''; },

  reset() { location.reload(); },
};

/** Handlers of the page's other scripts for the events. */
const others = {};

function happened(name, data, id) {
  happenings[name]?.(data);
  others[name]?.(data);
  if (id) last = id;
}

/** Shows at the composer the question that a text would answer. */
function wait(anchor = '') {
  if (!waiting || waiting.dataset.anchor === anchor) return;
  waiting.dataset.anchor = anchor;
  waiting.hidden = !anchor;
  const asked = anchor && find('message', anchor)?.querySelector('.text')?.innerText;
  // Screen readers would read a hidden description too.
  waiting.replaceChildren(...(anchor ? [t('waiting'), ...(asked ? [': ', make('q', {}, asked)] : [])] : []));
}

// ---------------------------------------------------------------- following

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

// ---------------------------------------------------------------- delivering

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

// ---------------------------------------------------------------- saying

/** Data of this person and conversation that must survive a reload. */
const kept = name => `${name}:${me}:${page.conversation}`;
const outbox = JSON.parse(sessionStorage.getItem(kept('outbox')) ?? '[]');
let flushing = false;

function keep() {
  const unsent = outbox.filter(entry => !entry.sent).map(({ key, words, to }) => ({ key, words, to }));
  sessionStorage.setItem(kept('outbox'), JSON.stringify(unsent));
}

function send(words, to) {
  if (!words.trim()) return;
  outbox.push({ key: fresh(), words, to });
  keep();
  outbox.at(-1).shown = sending(outbox.at(-1));
  toEnd();
  flush();
}

/** Typed messages that the conversation does not have yet. */
function sending({ key, words }) {
  const shown = make('article', { class: 'message mine sending', 'data-key': key, 'aria-live': 'off' },
    make('header', {}, make('span', { class: 'who' }, t('you')), make('span', { class: 'state' }, t('sending'))),
    make('div', { class: 'text' }, words));
  log.append(shown);
  at('welcome')?.remove();
  return shown;
}

/** Sends waiting messages one after the other, so that their order is kept. */
async function flush() {
  if (flushing) return;
  flushing = true;
  for (let entry; (entry = outbox.find(it => !it.sent && !it.refused));) {
    const event = { kind: 'message.posted', text: entry.words, message_id: entry.key, reply_to: entry.to };
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
  again.addEventListener('click', () => { drop(entry); send(entry.words, entry.to); });
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

function submitSay(event) {
  event.preventDefault();
  send(text.value, at('reply').value || undefined);
  text.value = '';
  keepDraft();
  replyTo(null);
  text.focus();
}

function keepDraft() {
  sessionStorage.setItem(kept('draft'), text.value);
  if (CSS.supports('field-sizing', 'content')) return;
  text.style.height = 'auto';
  text.style.height = `${text.scrollHeight}px`;
}

function enterSends(event) {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  if (text.value.trim()) say.requestSubmit();
}

// ---------------------------------------------------------------- replying

/** Sets the message that the next one replies to, or none. */
function replyTo(article) {
  const words = article?.querySelector('h3, .text').innerText ?? '';
  at('reply').value = article?.dataset.message ?? '';
  at('replies').hidden = !article;
  at('replying').replaceChildren(...(article ? [`${t('in-reply')} `, make('q', {}, words)] : []));
}

function clickReply(event) {
  const link = event.target.closest('a.reply');
  if (!link || !say) return;
  event.preventDefault();
  replyTo(link.closest('article'));
  text.focus();
}

// ---------------------------------------------------------------- pressing

/** Number of items above which creating them needs a confirmation. */
const MANY = 3;

/** Asks for a confirmation of a large approval. */
function means(section) {
  const count = section.querySelectorAll('.items > li').length;
  if (count <= MANY) return true;
  const heading = section.querySelector('h3').textContent;
  const { version } = section.dataset;
  const yes = make('button', { class: 'primary', value: 'yes' }, t('create-items', { count }));
  // Focus Back first, so that a key held down does not confirm.
  const no = make('button', { autofocus: '' }, t('back'));
  const inner = make('form', { method: 'dialog' },
    make('h2', { id: 'form-heading' }, heading),
    make('p', {}, t('create-all', { count, version })),
    make('footer', {}, make('div', { class: 'actions' }, yes, no)));
  const dialog = make('dialog', { 'aria-labelledby': 'form-heading', class: 'sure' }, inner);
  inner.addEventListener('keydown', event => keepWithin(event, yes, no));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise(go => dialog.addEventListener('close', () => {
    dialog.remove();
    go(dialog.returnValue === 'yes');
  }));
}

/** Keeps the Tab key within a dialog. */
function keepWithin(event, first, last) {
  const [from, to] = event.shiftKey ? [first, last] : [last, first];
  if (event.key !== 'Tab' || document.activeElement !== from) return;
  event.preventDefault();
  to.focus();
}

/** Time in ms within which a second click is part of a double click. */
const DOUBLE = 600;
const pressed = new Set();

async function submitPress(event) {
  event.preventDefault();
  const it = event.submitter;
  const token = it.value;
  if (FORMS[it.dataset.action]) return open(it);
  const section = it.closest('.card');
  if (pressed.has(token)) return;
  if (it.dataset.action === 'approve' && !await means(section)) return it.focus();
  pressed.add(token);
  const over = new Promise(go => setTimeout(go, DOUBLE));
  if (it.role === 'radio') it.ariaChecked = 'true';
  section.setAttribute('aria-busy', 'true');
  const { ok, told } = await deliver({ kind: 'card.pressed', press: { token } }, fresh(), 10);
  section.removeAttribute('aria-busy');
  if (it.role === 'radio') it.ariaChecked = 'false';
  if (ok === false) toast(refusal(told), true);
  await over;
  pressed.delete(token);
}

/** Moves with the arrow keys in a group of options; Space and Enter choose. */
function moveInGroup(event) {
  const group = event.target.closest('[role=radiogroup]');
  if (!group) return;
  const radios = [...group.children];
  const here = radios.indexOf(event.target);
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -here, End: -1 - here };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const next = radios.at((here + step) % radios.length);
  radios.forEach(radio => { radio.tabIndex = radio === next ? 0 : -1; });
  next.focus();
}

// ---------------------------------------------------------------- forms

/** Buttons that open a form, with its fields. */
const FORMS = {
  edit: part => [...shownFields(part), ...missingFields(part)],
  edit_story: part => [...shownFields(part), ...missingFields(part)],
  add_story: shownFields,
  adopt: () => [{ name: 'key', label: t('key-of-issue'), text: '' }],
};
const ONE_LINE = ['title', 'key', 'labels', 'topic', 'issues'];
/** Heading of a card's own form, by the card's step. */
const CHANGES = { draft_preview: 'the-ticket', decision_preview: 'the-decision' };

/** Returns the elements of a card or an item itself, without those of items inside. */
function ownOf(part, what) {
  return [...part.querySelectorAll(what)].filter(it => itemAround(it) === part.dataset.item);
}

function shownFields(part) {
  const field = row => ({
    name: row.dataset.field,
    label: row.querySelector('dt').textContent,
    text: row.querySelector('dd').textContent,
  });
  return ownOf(part, '.fields > div').map(field);
}

/** Returns the fields that a check requires and the card hides because they are empty. */
function missingFields(part) {
  const shown = new Set(shownFields(part).map(field => field.name));
  const wanted = ownOf(part, '.errors > li').map(error => error.dataset.field);
  const field = name => ({ name, label: name[0].toUpperCase() + name.slice(1), text: '' });
  return [...new Set(wanted)].filter(name => name && !shown.has(name)).map(field);
}

let form = null;

function open(opener) {
  form = new Form(opener);
}

/** Form that a card's button opens. The typed text is kept if the card changes meanwhile. */
class Form {
  constructor(opener) {
    this.action = opener.dataset.action;
    this.section = opener.closest('.card');
    this.item = itemAround(opener);
    this.version = this.section.dataset.version;
    this.token = opener.value;
    this.held = [];
    this.refusals = new Set();
    this.build();
    this.dialog.addEventListener('close', () => this.close(opener));
    document.body.append(this.dialog);
    this.dialog.showModal();
  }

  build() {
    const part = partOf(this.section, this.item);
    const errors = ownOf(part, '.errors > li');
    this.fields = FORMS[this.action](part).map(({ name, label, text }) => {
      const id = `form-${name}`;
      const input = ONE_LINE.includes(name) ? make('input', { value: text }) : make('textarea', { rows: 3 }, text);
      const wrong = errors.filter(error => error.dataset.field === name).map(error => error.textContent);
      const told = make('p', { class: 'wrong', id: `${id}-wrong` }, wrong.join(' '));
      Object.assign(input, { id, name });
      input.setAttribute('aria-describedby', told.id);
      return { label, input, told, row: make('div', { class: 'field' }, make('label', { for: id }, label), input, told) };
    });
    this.note = make('p', { class: 'note', role: 'alert' });
    this.save = make('button', { class: 'primary' }, t('save'));
    const away = make('button', { type: 'button' }, t('cancel'));
    const edits = this.item ? t('edit-item', { item: part.ariaLabel }) : t(CHANGES[this.section.dataset.step] ?? 'edit-this');
    const says = { adopt: t('it-exists'), add_story: t('add-story') }[this.action] ?? edits;
    const title = make('h2', { id: 'form-heading' }, says);
    const inner = make('form', { method: 'dialog' },
      title, ...this.fields.map(field => field.row),
      make('footer', {}, this.note, make('div', { class: 'actions' }, this.save, away)));
    inner.addEventListener('submit', event => { event.preventDefault(); this.submit(); });
    inner.addEventListener('keydown', event => keepWithin(event, this.fields[0].input, away));
    away.addEventListener('click', () => this.dialog.close());
    this.dialog = make('dialog', { 'aria-labelledby': 'form-heading' }, inner);
  }

  async submit() {
    if (this.save.ariaDisabled === 'true') return;
    this.save.ariaDisabled = 'true';
    this.note.textContent = '';
    for (const { told } of this.fields) told.textContent = '';
    const values = Object.fromEntries(this.fields.map(({ input }) => [input.name, input.value]));
    const event = { kind: 'form.submitted', form: { token: this.token, values } };
    const { ok, told, over } = await deliver(event, fresh(), 10);
    this.save.ariaDisabled = 'false';
    if (over || (ok && told.decision !== 'refused')) this.dialog.close();
    else this.refused(ok ? told : { ...told, effects: [] });
  }

  /** Shows the reason of a refusal, at its field or else below all fields. */
  refused({ turn, effects, detail }) {
    this.refusals.add(turn);
    const words = effects.filter(({ class: kind }) => kind === 'notice').map(({ text }) => text).join(' ') || detail;
    const field = this.fields.find(({ label }) => words.startsWith(`${label} `));
    (field?.told ?? this.note).textContent = words;
    field?.input.focus();
    this.look();
  }

  /** Shows notices that arrived meanwhile when the form is closed, unless the form showed them. */
  hold(turn, tell) { this.held.push({ turn, tell }); }

  /** Checks that the card is still the one that was opened. */
  look() {
    const { version } = this.section.dataset;
    const now = actionIn(this.section, this.action, this.item);
    if (version === this.version && now) return;
    if (!now) {
      this.note.textContent = t('decided-meanwhile');
      this.save.hidden = true;
      return;
    }
    this.note.textContent = t('version-meanwhile', { version });
    this.save.textContent = t('save-over', { version });
    Object.assign(this, { version, token: now.value });
  }

  close(opener) {
    this.dialog.remove();
    form = null;
    for (const { turn, tell } of this.held) if (!this.refusals.has(turn)) tell();
    if (opener.isConnected) opener.focus();
    else standOn(this.section, this.action, this.item);
  }
}

// ---------------------------------------------------------------- Why?

async function submitWhy(event) {
  const asked = event.target.closest('form.why');
  if (!asked) return;
  event.preventDefault();
  const it = asked.querySelector('button');
  const article = asked.closest('article');
  const shown = article.querySelector('.explanation');
  it.ariaExpanded = String(!shown);
  if (shown) return shown.remove();
  const panel = make('div', { class: 'explanation' }, make('p', { class: 'because' }, t('looking')));
  asked.closest('footer').after(panel);
  try {
    const answer = await fetch(`/v1/turns/${article.dataset.turn}/why`);
    if (await isOver(answer)) return;
    panel.replaceChildren(...(answer.ok ? explain(await answer.json()) : [refusal(await answer.json())]));
    panel.scrollIntoView({ block: 'nearest' });
  } catch {
    panel.replaceChildren(t('offline-why'));
  }
}

function explain({ turn, says, rung, name, passed, text }) {
  const lost = ({ rung, name, predicate }) => make('li', { value: rung },
    make('span', { class: 'rung' }, name), ' ', make('span', { class: 'outcome' }, t('not-applied', { why: predicate })));
  const won = make('li', { value: rung, class: 'decided' },
    make('span', { class: 'rung' }, name), ' ', make('span', { class: 'outcome' }, t('decided', { why: says })));
  return [
    make('p', { class: 'because' }, says),
    make('ol', { class: 'rungs' }, ...passed.map(lost), won),
    make('details', {}, make('summary', {}, t('in-full')), make('pre', {}, text)),
    make('p', { class: 'link' }, make('a', { href: `/turns/${turn}` }, t('as-page'))),
  ];
}

// ---------------------------------------------------------------- scrolling

const root = document.documentElement;
const atEnd = () => root.scrollHeight - innerHeight - scrollY < 96;

function toEnd() {
  scrollTo({ top: root.scrollHeight, behavior: 'instant' });
  newest.hidden = true;
}

/** Shows the number of unseen messages in the tab's title. */
let missed = 0;
function unseen(more) {
  missed = more && missed + more;
  document.title = document.title.replace(/^(\(\d+\) )?/, missed ? `(${missed}) ` : '');
}

// ---------------------------------------------------------------- toasts

/** Time in ms that a toast stays. Its text is in the conversation too. */
const TOAST = 9_000;

function toast(words, urgent) {
  const away = make('button', { type: 'button', 'aria-label': t('dismiss') }, '×');
  const shown = make('div', { class: 'toast' }, make('p', {}, words), away);
  const leave = () => { if (!shown.matches(':hover, :focus-within')) shown.remove(); else setTimeout(leave, TOAST); };
  away.addEventListener('click', () => shown.remove());
  at('toasts').querySelector(urgent ? '[role=alert]' : '[role=status]').append(shown);
  setTimeout(leave, TOAST);
}

// ---------------------------------------------------------------- the beginning

function hydrate() {
  tighten(log);
  for (const article of log.querySelectorAll('article')) enhance(article);
  separate();
  const arrived = ({ key }) => log.querySelector(`[data-key="${key}"]`);
  outbox.splice(0, outbox.length, ...outbox.filter(entry => !arrived(entry)));
  for (const entry of outbox) entry.shown = sending(entry);
  history.scrollRestoration = 'manual';
  toEnd();
}

function listenAtComposer() {
  document.querySelector('.hint').hidden = false;
  text.value ||= sessionStorage.getItem(kept('draft')) ?? '';
  say.addEventListener('submit', submitSay);
  text.addEventListener('keydown', enterSends);
  text.addEventListener('input', keepDraft);
  newest.addEventListener('click', () => { toEnd(); text.focus(); });
  at('replies').querySelector('a').addEventListener('click', event => { event.preventDefault(); replyTo(null); text.focus(); });
  at('welcome')?.addEventListener('submit', event => {
    event.preventDefault();
    send(event.submitter.value);
    text.focus();
  });
}

function listenToThePage() {
  let away = 0;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(away);
    if (document.hidden) away = setTimeout(leave, UNSEEN);
    else { unseen(0); if (!source && !polling) follow(); }
  });
  addEventListener('pagehide', leave);
  addEventListener('pageshow', event => { if (event.persisted) follow(); });
  addEventListener('scroll', () => { if (atEnd()) newest.hidden = true; }, { passive: true });
}

hydrate();
press.addEventListener('submit', submitPress);
log.addEventListener('submit', submitWhy);
log.addEventListener('keydown', moveInGroup);
log.addEventListener('click', clickReply);
if (say) listenAtComposer();
listenToThePage();
follow();
flush();
