// The list of conversations.

/** Adds a new conversation to the list, with the title that the server gives it. */
function list(words) {
  const line = words.trim().replace(/\s+/g, ' ');
  const start = [...line].slice(0, 60).join('');
  const title = start.length < line.length ? `${start.trimEnd()}…` : start;
  at('list').prepend(make('li', {}, make('a', { href: `${location.search}#end`, 'aria-current': 'page' }, make('span', {}, title))));
  document.querySelector('h1').firstChild.data = title;
  document.title = `${title} – Throughline`;
}
