// What a model is writing. It is no message yet: it grows, and is gone when the answer is there or none comes.

/** The text that grows, while there is one. */
let growing = null;

/** Shows a text as far as it is written; screen readers read the message that it becomes. */
function grow({ text: words, markup, ended }) {
  if (ended) return shrink();
  const followed = atEnd();
  if (!growing) {
    growing = make('div', { class: 'message growing', 'aria-live': 'off', 'aria-busy': true },
      make('header', {}, make('span', { class: 'who' }, WHO.ours), make('span', { class: 'state' }, t('not-final'))), '');
    log.insertBefore(growing, log.querySelector('.sending'));
    at('welcome')?.remove();
    showDoing();
  }
  growing.lastChild.replaceWith(textOf(words, markup));
  if (followed) toEnd();
  else newest.hidden = false;
}

/** Takes it away: in place of it comes the answer, or nothing. */
function shrink() {
  if (!growing) return;
  growing.remove();
  growing = null;
  showDoing();
}
