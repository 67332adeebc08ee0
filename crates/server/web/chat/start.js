// The beginning.

function hydrate() {
  tighten(log);
  for (const article of log.querySelectorAll('article')) enhance(article);
  separate();
  const arrived = ({ key }) => log.querySelector(`[data-key="${key}"]`);
  outbox.splice(0, outbox.length, ...outbox.filter(entry => !arrived(entry)));
  for (const entry of outbox) entry.shown = sending(entry);
  history.scrollRestoration = 'manual';
  toEnd();
}

function listenAtComposer() {
  document.querySelector('.hint').hidden = false;
  text.value ||= sessionStorage.getItem(kept('draft')) ?? '';
  say.addEventListener('submit', submitSay);
  text.addEventListener('keydown', enterSends);
  text.addEventListener('input', keepDraft);
  newest.addEventListener('click', () => { toEnd(); text.focus(); });
  at('replies').querySelector('a').addEventListener('click', event => { event.preventDefault(); replyTo(null); text.focus(); });
  at('welcome')?.addEventListener('submit', event => {
    event.preventDefault();
    send(event.submitter.value);
    text.focus();
  });
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
