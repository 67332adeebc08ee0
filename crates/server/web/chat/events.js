// Events, folded as in history.rs.

let last = page.revision;
let turn = {};

const happenings = {
  turn(info) {
    turn = info;
    if (info.event === 'message.edited') lookAgain();
  },

  message(message) {
    const { id, message_id: key, role, by, text, markup, at = turn.at, card, gone, files } = message;
    const sent = key && outbox.find(entry => entry.key === key);
    if (sent) drop(sent);
    if (find('message', id)) return;
    const side = gone || role !== 'user' ? 'ours' : by === me ? 'mine' : 'theirs';
    append(articleOf({ id, key, turn: turn.turn, at, side, who: by, text, markup, gone, card, files }));
  },

  card({ message, card, posted }) {
    const shown = find('message', message)?.querySelector('.card');
    if (shown) change(shown, card);
    else if (posted) append(articleOf({ id: message, turn: turn.turn, at: turn.at, side: 'ours', card }));
  },

  effect(effect) {
    if (effect.class !== 'notice' || effect.to !== me || find('notice', effect.id)) return;
    append(articleOf({ id: effect.id, turn: turn.turn, at: turn.at, side: 'notice', text: effect.text }));
    const urgent = turn.decision === 'refused';
    const tell = () => toast(effect.text, urgent);
    if (form) form.hold(turn.turn, tell);
    else tell();
  },

  pending({ items }) {
    const asks = ({ class: kind, asked_of: of }) => kind === 'conversational' && (of ?? me) === me;
    wait(items.find(asks)?.anchor);
  },

  status({ doing }) {
    // The end of a text may have come while nobody heard it.
    if (!doing.some(({ who }) => who === 'model')) shrink();
    showDoing(doing);
  },

  writing(text) { grow(text); },

  reset() { location.reload(); },
};

/** Handlers of the page's other scripts for the events. */
const others = {};

function happened(name, data, id) {
  happenings[name]?.(data);
  others[name]?.(data);
  if (id) last = id;
}

/** Shows at the composer the question that a text would answer. */
function wait(anchor = '') {
  if (!waiting || waiting.dataset.anchor === anchor) return;
  waiting.dataset.anchor = anchor;
  waiting.hidden = !anchor;
  const asked = anchor && find('message', anchor)?.querySelector('.text')?.innerText;
  // Screen readers would read a hidden description too.
  waiting.replaceChildren(...(anchor ? [t('waiting'), ...(asked ? [': ', make('q', {}, asked)] : [])] : []));
}
