// Cards, as in parts.html.

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

/** Makes a line of facts; those of the title are marked, since they name the card too. */
function factsOf(kind, sentences, moments, ofTitle = 0) {
  const line = (fact, place) => make('li', { 'data-title': place < ofTitle ? '' : null }, ...toldAt(fact, moments));
  return listOf(kind, sentences.map(line));
}

/** Tells whether a field is for those who look closer: where it came from, once that is written. */
const isAside = ({ name, text, note }) => name === 'evidence' && text && !note;

/** Makes what those look at who look closer: version and hash, the size, and the evidence. */
function moreOf({ version, hash, details = [], fields = [] }) {
  const evidence = fieldsOf(fields.filter(isAside));
  if (!hash && !details.length && !evidence) return null;
  const lines = [hash ? make('li', { class: 'mark' }, `v${version} · ${hash}`) : null, ...details.map(it => make('li', {}, it))];
  return make('details', { class: 'more' }, make('summary', {}, t('details')), make('ul', {}, ...lines.filter(it => it)), evidence);
}

function cardOf(card) {
  const { id, version, step, title, facts = [], decision = [], details = [], moments, fields = [], items = [], errors = [], link } = card;
  const [heading, ...ofTitle] = step === 'receipt' ? title.split(' · ') : [title];
  const apart = new Set([...decision, ...details]);
  const told = [...ofTitle, ...facts.filter(fact => !apart.has(fact))];
  const closed = step === 'scope_gate' && !card.buttons?.length;
  return make('section',
    { class: closed ? 'card closed' : 'card', 'data-card': id, 'data-version': version, 'data-step': step, 'aria-label': title },
    make('header', {},
      make('p', { class: 'kicker' }, t(KICKERS[step] ?? 'card')),
      make('h3', { tabindex: -1 }, ...toldAt(heading, moments))),
    factsOf('facts', told, moments, ofTitle.length),
    factsOf('facts decision', decision, moments),
    fieldsOf(fields.filter(field => !isAside(field))),
    errorsOf(errors),
    items.length ? step === 'options' ? choicesOf(card) : make('ol', { class: 'items' }, ...items.map(itemOf)) : null,
    linkOf(link),
    ...buttonsOf(card),
    moreOf(card));
}
