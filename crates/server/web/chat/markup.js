// Markup of what models, tools and agents wrote, as in markup/mod.rs, and copying.

/** Makes a node of a marked-up text. The server names no other elements and no other addresses. */
function nodeOf(node) {
  if (typeof node === 'string') return node;
  const { tag, href, start, language, children = [] } = node;
  const leads = href ? { href, target: '_blank', rel: 'noopener noreferrer' } : {};
  return make(tag, { ...leads, start, 'data-language': language || null }, ...children.map(nodeOf));
}

/** Puts a button to copy beside each block of code, and lets what is too wide be scrolled by keys. */
function enhanceMarkup(text) {
  for (const table of text.querySelectorAll('table')) {
    const frame = make('div', { class: 'wide', tabindex: 0, role: 'group', 'aria-label': t('table') });
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const block of text.querySelectorAll('pre')) {
    const frame = make('div', { class: 'code' });
    block.replaceWith(frame);
    frame.append(block, ...copies(() => block.textContent));
  }
}

/** Makes a button that copies a text, where the browser lets a page do so. */
function copies(words, says = t('copy'), extra = {}) {
  if (!navigator.clipboard) return [];
  const it = make('button', { type: 'button', class: 'copy', ...extra }, says);
  let over = 0;
  it.addEventListener('click', async () => {
    clearTimeout(over);
    try {
      await navigator.clipboard.writeText(words());
      it.textContent = t('copied');
      over = setTimeout(() => { it.textContent = says; }, 2_000);
    } catch {
      toast(t('not-copied'), true);
    }
  });
  return [it];
}

/** Offers to copy what a message says and, of a card, the link to it. */
function offerCopies(article) {
  const id = article.dataset.message;
  const footer = article.querySelector(':scope > footer');
  if (!footer || article.querySelector('.gone')) return;
  const link = `${location.origin}${location.pathname}?c=${encodeURIComponent(page.conversation)}#${id}`;
  const card = () => article.querySelector('.card');
  const text = copies(() => card() ? wordsOf(card()) : article.querySelector('.text').innerText, t('copy-text'));
  footer.append(...text, ...(card() ? copies(() => link, t('copy-link')) : []));
}

/** Returns a card as text: its title, its facts, its fields and its items. */
function wordsOf(card) {
  const [line, row] = [it => it.textContent.trim(), it => `${it.querySelector('dt').textContent}: ${it.querySelector('dd').textContent}`];
  const facts = [...card.querySelectorAll('.facts')].map(list => [...list.children].map(line).join(' · '));
  const rest = [...card.querySelectorAll('.fields > div:not([hidden]), .items .name, .errors > li, .link a')];
  const told = rest.map(it => it.matches('.fields > div') ? row(it) : it.matches('a') ? it.href : line(it));
  return [card.querySelector('h3').textContent, ...facts, ...told].join('\n');
}
