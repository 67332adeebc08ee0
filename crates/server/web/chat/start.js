// The beginning.

function hydrate() {
  tighten(log);
  for (const article of log.querySelectorAll('article')) enhance(article);
  separate();
  offerEdit();
  keepTimes();
  const arrived = ({ key }) => log.querySelector(`[data-key="${key}"]`);
  outbox.splice(0, outbox.length, ...outbox.filter(entry => !arrived(entry)));
  for (const entry of outbox) entry.shown = sending(entry);
  history.scrollRestoration = 'manual';
  toEnd();
  // A link to a card leads to it.
  document.getElementById(location.hash.slice(1))?.closest('article')?.scrollIntoView({ block: 'center' });
}

function listenAtComposer() {
  document.querySelector('.hint').hidden = false;
  text.value ||= sessionStorage.getItem(kept('draft')) ?? '';
  say.addEventListener('submit', submitSay);
  text.addEventListener('keydown', enterSends);
  text.addEventListener('input', keepDraft);
  newest.addEventListener('click', () => { toEnd(); text.focus(); });
  at('replies').querySelector('a').addEventListener('click', event => { event.preventDefault(); leaveAside(); text.focus(); });
  listenToCommands();
  listenToFiles();
  writeAtOnce();
  at('welcome')?.addEventListener('submit', event => {
    event.preventDefault();
    send(event.submitter.value);
    text.focus();
  });
}

/** Puts the focus into the field, except where that brings a keyboard over the screen. */
function writeAtOnce() {
  if (matchMedia('(pointer: coarse)').matches) return;
  const focus = () => { if (document.activeElement === document.body) text.focus({ preventScroll: true }); };
  // The address names the end of the page, and the browser takes the focus away when it goes there.
  if (document.readyState === 'complete') focus();
  else addEventListener('load', () => setTimeout(focus), { once: true });
}

function listenToThePage() {
  let away = 0;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(away);
    if (document.hidden) away = setTimeout(leave, UNSEEN);
    else { unseen(0); if (!source && !polling) follow(); }
  });
  addEventListener('pagehide', leave);
  addEventListener('pageshow', event => { if (event.persisted) follow(); });
  addEventListener('scroll', () => { if (atEnd()) newest.hidden = true; }, { passive: true });
}

hydrate();
press.addEventListener('submit', submitPress);
log.addEventListener('submit', submitWhy);
log.addEventListener('keydown', moveInGroup);
log.addEventListener('click', clickReply);
if (say) listenAtComposer();
listenToThePage();
follow();
flush();
