// The commands: a menu of those that exist, while the beginning of one is typed.

/** Name with which a command begins in every channel. */
const COMMAND = page.command;
/** What the commands do. Those of them that this conversation takes are offered. */
const DOES = {
  help: 'command-help',
  status: 'command-status',
  pending: 'command-pending',
  why: 'command-why',
  forget: 'command-forget',
  stop: 'command-stop',
  ticket: 'command-ticket',
  review: 'command-review',
  track: 'command-track',
  untrack: 'command-untrack',
  tracked: 'command-tracked',
};
const offered = page.commands.split(' ').filter(word => DOES[word]);
const menu = at('commands');

/** Returns a message as it is sent: "/status" is the command, under the name that it has everywhere. */
function inFull(words) {
  const [, word, rest] = /^\/(\S+)([^]*)$/.exec(words.trimStart()) ?? [];
  return offered.includes(word) ? `${COMMAND} ${word}${rest}` : words;
}

/** Returns the beginning of a command that is typed; nothing if something else is, or all of one. */
function typedCommand() {
  const typed = text.value.startsWith(`${COMMAND} `) ? text.value.slice(COMMAND.length + 1) : text.value.match(/^\/(\S*)$/)?.[1];
  if (typed === undefined || /\s/.test(typed) || offered.includes(typed)) return undefined;
  return COMMAND.slice(1).startsWith(typed) ? '' : typed;
}

function offerCommands() {
  const typed = typedCommand();
  const fits = typed === undefined ? [] : offered.filter(word => word.startsWith(typed));
  menu.hidden = !fits.length;
  menu.replaceChildren(...fits.map(word => make('li', { id: `command-${word}`, role: 'option', 'aria-selected': false, 'data-word': word },
    make('b', {}, `/${word}`), ' ', make('span', {}, t(DOES[word])))));
  pointTo(menu.firstElementChild);
}

/** Marks an option of the menu. The focus stays in the field. */
function pointTo(option) {
  for (const it of menu.children) it.ariaSelected = String(it === option);
  if (option) text.setAttribute('aria-activedescendant', option.id);
  else text.removeAttribute('aria-activedescendant');
  option?.scrollIntoView({ block: 'nearest' });
}

function choose(option) {
  text.value = `${COMMAND} ${option.dataset.word} `;
  closeMenu();
  keepDraft();
  text.focus();
}

function closeMenu() {
  menu.hidden = true;
  menu.replaceChildren();
  pointTo(null);
}

/** Moves in the menu and chooses; returns true if the key was meant for it. */
function keyInMenu(event) {
  if (menu.hidden || event.isComposing) return false;
  const options = [...menu.children];
  const here = options.findIndex(it => it.ariaSelected === 'true');
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps) pointTo(options.at((here + steps[event.key]) % options.length));
  else if (event.key === 'Enter' || event.key === 'Tab') choose(options[here]);
  else if (event.key === 'Escape') closeMenu();
  else return false;
  event.preventDefault();
  return true;
}

function listenToCommands() {
  text.addEventListener('input', offerCommands);
  text.addEventListener('blur', () => setTimeout(closeMenu, 200));
  // The field keeps the focus while the menu is clicked.
  menu.addEventListener('mousedown', event => event.preventDefault());
  menu.addEventListener('click', event => {
    const option = event.target.closest('li');
    if (option) choose(option);
  });
}
