// Pressing buttons of cards.

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
