// Earlier messages, loaded above those that are there, which stay where they are on the screen. It follows chat/start.js in one file.

const earlier = document.querySelector('.earlier a[href*="before="]');

async function loadEarlier(event) {
  event.preventDefault();
  if (earlier.ariaDisabled === 'true') return;
  earlier.ariaDisabled = 'true';
  const told = await read(`/history${new URL(earlier.href).search}`);
  earlier.ariaDisabled = 'false';
  // Without an answer the link leads to the page that has them.
  if (told === null) return location.assign(earlier.href);
  showEarlier(told);
}

function showEarlier({ items, earlier: next }) {
  const first = log.querySelector('article');
  const top = first?.getBoundingClientRect().top;
  const older = items.map(item => enhance(articleOf({ ...item, card: item.card?.card })));
  // What was said long ago is no news for a screen reader.
  log.setAttribute('aria-live', 'off');
  log.prepend(...older);
  separate();
  if (first) scrollBy({ top: first.getBoundingClientRect().top - top, behavior: 'instant' });
  setTimeout(() => log.setAttribute('aria-live', 'polite'));
  if (next) earlier.href = next;
  else {
    older.at(-1)?.setAttribute('tabindex', '-1');
    older.at(-1)?.focus({ preventScroll: true });
    earlier.parentElement.remove();
  }
}

earlier?.addEventListener('click', loadEarlier);
