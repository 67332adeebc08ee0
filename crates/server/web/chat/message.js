// Messages, as in parts.html, and what a script adds to them.

const WHO = { mine: t('you'), notice: t('only-you'), ours: 'Throughline' };

function articleOf({ id, key, turn, at, side, who, text, markup, gone, card, files }) {
  const named = side === 'notice' ? { 'data-notice': id } : { 'data-message': id };
  const quiet = side === 'notice' || side === 'mine' ? { 'aria-live': 'off' } : {};
  const words = gone ? t('removed') : text;
  const asks = side === 'ours' || side === 'notice';
  const answers = page.replies && (side === 'ours' || side === 'theirs');
  const why = () => make('form', { class: 'why', method: 'get', action: `/turns/${turn}` },
    make('button', { type: 'submit', 'aria-expanded': false }, t('why')));
  const reply = () => make('a', { class: 'reply', href: `${page.replies}&reply=${id}#text` }, t('reply'));
  return make('article', { id, ...named, 'data-key': key, ...quiet, 'data-turn': turn, class: `message ${side}` },
    make('header', {}, make('span', { class: 'who' }, WHO[side] ?? who), make('time', { datetime: at })),
    card ? cardOf(card) : textOf(words, markup, gone, namesFiles(words, files)),
    filesOf(files),
    asks || answers ? make('footer', {}, asks ? why() : null, answers ? reply() : null) : null);
}

/** Returns the cards of an article, or the card itself. */
const cardsIn = element => element.matches('.card') ? [element] : element.querySelectorAll('.card');

/** Names a card by what it shows: a title of the server has its times in UTC. */
function localLabel(section) {
  const [heading, ...more] = [section.querySelector('h3'), ...section.querySelectorAll('[data-title]')];
  return [heading, ...more].map(it => it.textContent).join(' · ');
}

function textOf(words, markup, gone, hidden) {
  if (markup && !gone) return make('div', { class: 'text markup' }, ...markup.map(nodeOf));
  return make('div', { class: gone ? 'text gone' : 'text', hidden: hidden ? '' : null }, words);
}

/** Turns the addresses of evidence on this site into links; of a file, its name is the link. */
function linkEvidence(element) {
  const shown = element.textContent.split('\n').map(line => {
    const [, address, name] = line.match(/^(\S+)(?: (.+))?$/) ?? [];
    const here = address && named(address);
    return make('span', { class: 'line' }, here ? make('a', { href: address }, name ?? here) : line);
  });
  element.replaceChildren(...shown);
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
  for (const time of article.querySelectorAll('time')) showTime(time);
  for (const section of cardsIn(article)) section.ariaLabel = localLabel(section);
  for (const ours of article.querySelectorAll('.ours > .text:not(.markup), .facts > li:not(:has(time)), .card > .link')) linkify(ours);
  for (const ours of article.querySelectorAll('.ours > .text:not(.markup, :has(a))')) layOut(ours);
  for (const text of article.querySelectorAll('.markup')) enhanceMarkup(text);
  for (const evidence of article.querySelectorAll('[data-field=evidence] > dd')) linkEvidence(evidence);
  if (article.matches('.ours')) offerCopies(article);
  for (const group of article.querySelectorAll('[role=radiogroup]')) {
    [...group.children].forEach((radio, place) => { radio.tabIndex = place ? -1 : 0; });
  }
  return article;
}
