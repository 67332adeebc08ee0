// Scrolling, and toasts.

const root = document.documentElement;
const atEnd = () => root.scrollHeight - innerHeight - scrollY < 96;

function toEnd() {
  scrollTo({ top: root.scrollHeight, behavior: 'instant' });
  newest.hidden = true;
}

/** Shows the number of unseen messages in the tab's title. */
let missed = 0;
function unseen(more) {
  missed = more && missed + more;
  document.title = document.title.replace(/^(\(\d+\) )?/, missed ? `(${missed}) ` : '');
}

/** Time in ms that a toast stays. Its text is in the conversation too. */
const TOAST = 9_000;

function toast(words, urgent) {
  const away = make('button', { type: 'button', 'aria-label': t('dismiss') }, '×');
  const shown = make('div', { class: 'toast' }, make('p', {}, words), away);
  const leave = () => { if (!shown.matches(':hover, :focus-within')) shown.remove(); else setTimeout(leave, TOAST); };
  away.addEventListener('click', () => shown.remove());
  at('toasts').querySelector(urgent ? '[role=alert]' : '[role=status]').append(shown);
  setTimeout(leave, TOAST);
}
