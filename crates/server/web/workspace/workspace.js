
// ================================================================ the workspace: panels beside the conversation
//
// It stands behind the chat's script and uses its parts. Every panel is a list of options that is shown to whoever looks:
// it is registered as it stands on the page, again when it is sorted or opened again, and closed when it is closed. What
// somebody chooses, by words or by a click, comes back as an effect, which is done here and reported.

/** So many seconds what is told of a panel waits for its turn. */
const SOON = 10;
const reads = page.selection === 'on';
const reader = at('reader');
const beside = matchMedia('(min-width: 60rem)');

// ---------------------------------------------------------------- what is open

const documentOf = id => at(`document-${id}`);

/** Opens a document; whether there is one. */
function openDocument(id) {
  const wanted = documentOf(id);
  if (!wanted) return false;
  for (const article of reader.querySelectorAll('article')) article.hidden = article !== wanted;
  reader.hidden = false;
  for (const entry of document.querySelectorAll('.entries li')) {
    if (entry.dataset.option === id) entry.setAttribute('aria-current', 'true');
    else entry.removeAttribute('aria-current');
  }
  at('panels').scrollTop = 0;
  // Where there is no room beside the conversation, it is above.
  if (!beside.matches) reader.scrollIntoView({ block: 'start' });
  at('said').textContent = `${wanted.querySelector('h2').textContent} is open`;
  return true;
}

function closeDocument() {
  reader.hidden = true;
  for (const entry of document.querySelectorAll('.entries [aria-current]')) entry.removeAttribute('aria-current');
}

// ---------------------------------------------------------------- panels

/** What is not empty. */
const filled = object => Object.fromEntries(Object.entries(object).filter(([, value]) => value));

function optionOf({ dataset: { option: id, label, sublabel, badge, aliases, path, type, owner } }, rank) {
  const metadata = { ...filled({ path, type, owner }), recency_rank: rank };
  const names = aliases ? { aliases: aliases.split('|') } : {};
  return { id, label, ...filled({ sublabel, badge }), ...names, metadata, exec_ref: `open:${id}` };
}

class Panel {
  constructor(section) {
    this.section = section;
    this.list = section.querySelector('.entries');
    // The order that stays, whatever the panel is sorted by.
    this.base = [...this.list.children];
    ({ scope: this.scope, instance: this.instance } = section.dataset);
    this.title = section.querySelector('h2').textContent;
    this.sort = section.querySelector('[data-sort]');
    this.shut = section.querySelector('[data-shut]');
    section.querySelector('.actions').hidden = false;
    this.sort.addEventListener('click', () => this.sorted());
    this.shut.addEventListener('click', () => this.toggled());
    this.list.addEventListener('click', event => this.clicked(event));
    section.addEventListener('focusin', event => this.looked(event.target.closest('li')));
  }

  get place() { return { scope: this.scope, scope_instance: this.instance }; }
  get open() { return !this.list.hidden; }
  options() { return this.base.map(optionOf); }

  /** Registers what the panel shows, in the order it shows it. */
  async show() {
    const displayed = [...this.list.children].map(entry => entry.dataset.option);
    const shown = { ...this.place, title: this.title, user: me, options: this.options(), displayed, refreshable: true };
    const { ok, told } = await tell('options.shown', { shown });
    if (!ok) return;
    begin();
    this.is(told.options?.id, told.options?.exec_rev);
  }

  /** The list it is now; none while it is closed, or where nothing is read against lists. */
  is(set, version) {
    Object.assign(this, { set, version });
    if (set) this.section.dataset.set = set;
    else delete this.section.dataset.set;
  }

  async close() {
    const { set } = this;
    this.is();
    if (set) await tell('options.closed', { closed: { set } });
  }

  sorted() {
    const byName = this.sort.getAttribute('aria-pressed') !== 'true';
    this.sort.setAttribute('aria-pressed', byName);
    const name = entry => entry.dataset.label;
    const order = byName ? [...this.base].sort((a, b) => name(a).localeCompare(name(b))) : this.base;
    this.list.replaceChildren(...order);
    inOrder(() => this.show());
  }

  toggled() {
    this.list.hidden = this.open;
    this.shut.setAttribute('aria-expanded', this.open);
    this.shut.textContent = this.open ? 'Close' : 'Open';
    this.shut.setAttribute('aria-label', `${this.shut.textContent} ${this.title}`);
    this.sort.hidden = !this.open;
    inOrder(() => this.open ? this.show() : this.close());
  }

  /** Somebody looks here: “this panel” is this one from now on. */
  looked(entry) {
    const { option } = entry?.dataset ?? {};
    const where = `${this.instance} ${option}`;
    if (!this.open || where === looksAt) return;
    looksAt = where;
    inOrder(() => tell('focus.changed', { focus: { ...this.place, user: me, option } }));
  }

  async clicked(event) {
    const entry = event.target.closest('li');
    if (!entry || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    await inOrder(() => this.pressed(entry));
  }

  /** A click says what is wanted; that it is done is the answer's. Where nothing is read against lists it is done at once. */
  async pressed(entry) {
    const { option } = entry.dataset;
    if (!this.set) return openDocument(option);
    entry.setAttribute('aria-busy', 'true');
    const press = { set: this.set, version: this.version, option };
    const { ok, told } = await tell('card.pressed', { press });
    entry.removeAttribute('aria-busy');
    if (ok === false) toast(told.detail ?? told.title, true);
    // It is another list by now: what is on the page is shown once more.
    if (ok && told.reason === 'stale.version') await this.show();
  }
}

let looksAt = '';

const tell = (kind, what) => reads ? deliver({ kind, ...what }, fresh(), SOON) : Promise.resolve({});

/** One after the other, as it happened on the page. */
let before = Promise.resolve();
function inOrder(what) {
  before = before.then(what);
  return before;
}

// ---------------------------------------------------------------- effects

/** What the page was asked to do and has begun: it is offered again until it is reported. */
const begun = new Set();

const PERFORMS = {
  'option.execute': ({ exec_ref: run, scope_instance: instance, label }) => {
    const panel = panels.find(panel => panel.instance === instance);
    if (panel && !panel.open) return { outcome: 'rejected', error: `${panel.title} is closed` };
    const [verb, id] = [run.slice(0, run.indexOf(':')), run.slice(run.indexOf(':') + 1)];
    const done = verb === 'open' && openDocument(id);
    return done ? { outcome: 'applied', remote: { text: `opened ${id}` } } : { outcome: 'rejected', error: `there is no ${label} here` };
  },

  'evidence.fetch': ({ set }) => {
    const panel = panels.find(panel => panel.set === set);
    if (!panel) return { outcome: 'rejected', error: 'that list is not on the page' };
    const focused = panel.list.querySelector('li:focus-within, li[aria-current]')?.dataset.option;
    return { outcome: 'applied', snapshot: { options: panel.options(), focused } };
  },
};

function perform(effect) {
  const { id, class: kind, delivery, state, user } = effect;
  if (delivery !== 'host' || state !== 'attempted' || begun.has(id) || !PERFORMS[kind]) return;
  if (user !== undefined && user !== me) return;
  begun.add(id);
  post(`/v1/effects/${id}/result`, PERFORMS[kind](effect), fresh());
}

// ---------------------------------------------------------------- the beginning of it

const panels = [...document.querySelectorAll('.panel[data-instance]')].map(section => new Panel(section));
others.effect = perform;
reader.querySelector('[data-close]').addEventListener('click', event => {
  event.preventDefault();
  closeDocument();
});
// The last one that is shown is the one that plain text is read against: the first on the page.
if (say && reads) for (const panel of [...panels].reverse()) inOrder(() => panel.show());
