// Replying to a message.

/** Sets the message that the next one replies to, or none. */
function replyTo(article) {
  const words = article?.querySelector('h3, .text').innerText ?? '';
  at('reply').value = article?.dataset.message ?? '';
  at('replies').hidden = !article;
  at('replying').replaceChildren(...(article ? [`${t('in-reply')} `, make('q', {}, words)] : []));
}

function clickReply(event) {
  const link = event.target.closest('a.reply');
  if (!link || !say) return;
  event.preventDefault();
  replyTo(link.closest('article'));
  text.focus();
}
