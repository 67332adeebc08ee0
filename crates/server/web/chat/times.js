// Times of day, and the separators between days.

// Format of times on cards: 10:02.
const clock = new Intl.DateTimeFormat(document.documentElement.lang, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'long', day: 'numeric', month: 'long' });
const moment = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'full', timeStyle: 'short' });
const dayOf = time => new Date(time).toLocaleDateString('sv');

function nameOfDay(day) {
  const ago = Math.round((new Date(dayOf(Date.now())) - new Date(day)) / 86_400_000);
  return [t('today'), t('yesterday')][ago] ?? date.format(new Date(`${day}T12:00`));
}

/** Updates the separators between days. */
function separate() {
  for (const old of log.querySelectorAll('.day')) old.remove();
  let day = '';
  for (const article of log.querySelectorAll('article:not(.sending)')) {
    const its = dayOf(article.querySelector('time').dateTime);
    if (its !== day) article.before(make('h2', { class: 'day' }, make('time', { datetime: its }, nameOfDay(its))));
    day = its;
  }
}
