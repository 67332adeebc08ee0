// What goes on: whom the conversation waits for, and calling it off.

const AT_WORK = {
  model: () => growing ? t('writing') : t('thinking'),
  tool: name => t('at-work', { name }),
  agent: name => t('at-work', { name }),
  tracker: () => t('at-tracker'),
  host: () => t('at-host'),
};

/** What the conversation waited for when it was last told. */
let doings = [];

/** Shows what goes on, and *Stop* where it is the reader's to call off. */
function showDoing(doing = doings) {
  doings = doing;
  const says = [...new Set(doing.map(({ who, name }) => AT_WORK[who]?.(name)))].filter(it => it);
  const stops = say && doing.some(({ by }) => by === me || !by);
  const shown = says.map(it => make('p', {}, it));
  const before = [...working.querySelectorAll('p')].map(it => it.textContent).join('\n');
  // Said once: a screen reader reads what changes.
  const same = before === says.join('\n') && !working.querySelector('button') === !stops;
  if (same && !working.querySelector('form')) return;
  working.replaceChildren(...shown, ...(stops && says.length ? [stopper()] : []));
}

function stopper() {
  const it = make('button', { type: 'button', class: 'stop' }, t('stop'));
  it.addEventListener('click', async () => {
    it.disabled = true;
    const { ok, told } = await deliver({ kind: 'command', text: 'stop' }, fresh(), 10);
    it.disabled = false;
    if (ok === false) toast(refusal(told), true);
    text.focus();
  });
  return it;
}
