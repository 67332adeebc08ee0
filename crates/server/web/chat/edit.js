// Editing one's own last message.

/** Article that is edited. */
let edits = null;

/** Offers to edit the last message that the reader wrote. */
function offerEdit() {
  if (!say) return;
  const last = [...log.querySelectorAll('.mine[data-key]:not(.sending)')].at(-1);
  if (!last || last.querySelector('.edit-own, .text[hidden]')) return;
  for (const old of log.querySelectorAll('.edit-own')) old.closest('footer').remove();
  const it = make('button', { type: 'button', class: 'edit-own' }, t('edit'));
  it.addEventListener('click', () => edit(last));
  last.append(make('footer', {}, it));
}

function edit(article) {
  replyTo(null);
  edits = article;
  text.value = article.querySelector('.text').textContent;
  aside(t('editing'), text.value, t('no-edit'));
  text.focus();
}

/** Leaves the message as it was, and goes on with what was being written. */
function leaveEdit() {
  edits = null;
  text.value = sessionStorage.getItem(kept('draft')) ?? '';
  aside();
  keepDraft();
}

/** Sends the new words of the message. What they lead to is for the server to say. */
async function sendEdit(words) {
  const article = edits;
  const before = article.querySelector('.text').textContent;
  leaveEdit();
  if (!words.trim() || words === before) return;
  article.setAttribute('aria-busy', 'true');
  const { ok, told } = await deliver({ kind: 'message.edited', message_id: article.dataset.key, text: words }, fresh(), 10);
  article.removeAttribute('aria-busy');
  if (ok && told.decision !== 'refused') reword(article, words);
  else if (ok === false) toast(refusal(told), true);
}

/** Shows the new words of a message. */
function reword(article, words) {
  const shown = article.querySelector('.text');
  if (shown.textContent === words) return;
  shown.textContent = words;
  if (!article.querySelector('.state')) article.querySelector('header').append(make('span', { class: 'state' }, t('edited')));
}

/** Reads the messages anew, because one was edited: an edit has no event of its own with the words. */
async function lookAgain() {
  const told = await read(`/v1/lanes/${page.lane}/messages?limit=50`);
  // Without an answer the next reload shows it.
  if (told === null) return;
  for (const { id, role, text: words } of told.items) {
    const article = role === 'user' ? find('message', id) : null;
    if (article && !article.querySelector('.gone')) reword(article, words);
  }
}
