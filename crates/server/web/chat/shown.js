// What the conversation shows: finding, appending and changing it, keeping the focus.

const find = (kind, id) => log.querySelector(`article[data-${kind}="${CSS.escape(id)}"]`);

/** Inserts an article after the messages, before those still being sent. */
function append(article) {
  const followed = atEnd();
  // In one go with what it became, so that nothing jumps.
  if (article.matches('.ours')) shrink();
  log.insertBefore(enhance(article), log.querySelector('.sending'));
  at('welcome')?.remove();
  separate();
  offerEdit();
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
