// Why?: the explanation of a turn.

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
