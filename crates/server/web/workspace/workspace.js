
// ================================================================ the workspace: panels beside the conversation
//
// It follows the chat's script and uses its functions. Every panel is a list of options shown to the visitor:
// it is registered in the order of the page, again when it is sorted or reopened, and closed with the panel. A
// choice, by words or by a click, comes back as an effect, which is performed here and reported.

/** Seconds that a request about a panel waits for its turn. */
const SOON = 10;
const reads = page.selection === 'on';
const reader = at('reader');
const beside = matchMedia('(min-width: 60rem)');

// ---------------------------------------------------------------- what is open

const documentOf = id => at(`document-${id}`);

/** Opens a document; returns true if it exists. */
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
  // On a narrow screen the document is above the conversation.
  if (!beside.matches) reader.scrollIntoView({ block: 'start' });
  at('said').textContent = `${wanted.querySelector('h2').textContent} is open`;
  return true;
}

function closeDocument() {
  reader.hidden = true;
  for (const entry of document.querySelectorAll('.entries [aria-current]')) entry.removeAttribute('aria-current');
}

// ---------------------------------------------------------------- panels

/** Removes empty members. */
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
    // The base order, independent of how the panel is sorted.
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

  /** Registers the panel's entries in their displayed order. */
  async show() {
    const displayed = [...this.list.children].map(entry => entry.dataset.option);
    const shown = { ...this.place, title: this.title, user: me, options: this.options(), displayed, refreshable: true };
    const { ok, told } = await tell('options.shown', { shown });
    if (!ok) return;
    begin();
    this.is(told.options?.id, told.options?.exec_rev);
  }

  /** Current list; none while the panel is closed or option lists are disabled. */
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
    this.shut.textContent = this.open ? t('close') : t('open-it');
    this.shut.setAttribute('aria-label', this.open ? t('close-panel', { panel: this.title }) : t('open', { what: this.title }));
    this.sort.hidden = !this.open;
    inOrder(() => this.open ? this.show() : this.close());
  }

  /** Reports the focus: “this panel” is this one from now on. */
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

  /** Sends a click as a press; the effect opens the entry. Without option lists the entry opens at once. */
  async pressed(entry) {
    const { option } = entry.dataset;
    if (!this.set) return openDocument(option);
    entry.setAttribute('aria-busy', 'true');
    const press = { set: this.set, version: this.version, option };
    const { ok, told } = await tell('card.pressed', { press });
    entry.removeAttribute('aria-busy');
    if (ok === false) toast(refusal(told), true);
    // The list has changed meanwhile: register the page's entries again.
    if (ok && told.reason === 'stale.version') await this.show();
  }
}

let looksAt = '';

const tell = (kind, what) => reads ? deliver({ kind, ...what }, fresh(), SOON) : Promise.resolve({});

/** Sends requests one after the other, in the order of the page's events. */
let before = Promise.resolve();
function inOrder(what) {
  before = before.then(what);
  return before;
}

// ---------------------------------------------------------------- effects

/** Effects that the page has begun: they are offered again until they are reported. */
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
// Plain text is read against the list registered last, which should be the first on the page.
if (say && reads) for (const panel of [...panels].reverse()) inOrder(() => panel.show());
