// Forms that a card's button opens.

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
