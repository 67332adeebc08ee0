// Times, in the reader's zone: of messages, on cards, and the separators between days.

const LANGUAGE = document.documentElement.lang;
const clock = new Intl.DateTimeFormat(LANGUAGE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(LANGUAGE, { weekday: 'long', day: 'numeric', month: 'long' });
const moment = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'full', timeStyle: 'short' });
const dayAndClock = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const yearAndClock = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' });
const distance = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' });
const dayOf = time => new Date(time).toLocaleDateString('sv');

const MINUTE = 60_000;
/** Time in ms for which a message's time is told as a distance. */
const RECENT = 12 * 60 * MINUTE;

/** Tells a moment as the distance from now: 5 minutes ago. */
function ago(when) {
  const minutes = Math.round((when - Date.now()) / MINUTE);
  if (!minutes) return distance.format(0, 'second');
  return Math.abs(minutes) < 60 ? distance.format(minutes, 'minute') : distance.format(Math.round(minutes / 60), 'hour');
}

/** Tells a moment: with its day where that is not today, with its year where that is not this one. */
function absolute(when) {
  const now = new Date();
  if (dayOf(when) === dayOf(now)) return clock.format(when);
  return (when.getFullYear() === now.getFullYear() ? dayAndClock : yearAndClock).format(when);
}

/** Shows a time element in the reader's zone. A message's own time is told by its distance while it is recent. */
function showTime(time) {
  const when = new Date(time.dateTime);
  const passed = Date.now() - when;
  time.title = moment.format(when);
  if (!time.matches('.message > header > time')) time.textContent = absolute(when);
  else time.textContent = passed >= 0 && passed < RECENT ? ago(when) : clock.format(when);
}

/** Tells the distances anew, as time passes. On paper it stands still. */
function keepTimes() {
  const all = show => log.querySelectorAll('.message > header > time').forEach(show);
  setInterval(() => all(showTime), MINUTE / 2);
  addEventListener('beforeprint', () => all(time => { time.textContent = absolute(new Date(time.dateTime)); }));
  addEventListener('afterprint', () => all(showTime));
}

/** Splits a sentence of a card at the moment it ends with, which is in UTC, as in history.rs. */
function split(sentence, moments = []) {
  const ends = moments.flatMap(({ text, at }) => [[text, at, ''], [`${text})`, at, ')']]);
  const [found] = ends.filter(([end]) => sentence.endsWith(end) && !/[\p{L}\p{N}:]$/u.test(sentence.slice(0, -end.length)))
    .sort(([a], [b]) => b.length - a.length);
  if (!found) return null;
  const [end, at, after] = found;
  return { before: sentence.slice(0, -end.length), at, after };
}

/** Makes the parts of a card's sentence. */
function toldAt(sentence, moments) {
  const parts = split(sentence, moments);
  return parts ? [parts.before, make('time', { datetime: parts.at }), parts.after] : [sentence];
}

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
