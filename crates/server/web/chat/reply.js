// Replying to a message.

/** Sets the message that the next one replies to, or none. */
function replyTo(article) {
  if (edits && article) leaveEdit();
  at('reply').value = article?.dataset.message ?? '';
  if (article) aside(t('in-reply'), article.querySelector('h3, .text').innerText);
  else if (!edits) aside();
}

/** Shows above the field what the next words are about, or nothing. */
function aside(says, words, leave = at('replies').dataset.leave) {
  at('replies').hidden = !says;
  at('replying').replaceChildren(...(says ? [`${says} `, make('q', {}, words)] : []));
  at('replies').querySelector('a').ariaLabel = leave;
}

function clickReply(event) {
  const link = event.target.closest('a.reply');
  if (!link || !say) return;
  event.preventDefault();
  replyTo(link.closest('article'));
  text.focus();
}
