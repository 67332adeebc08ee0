// The list of conversations: by day in the reader's time zone, renewed when something happens in one of them; and the mark of
// what was seen. It follows chat/start.js in one file.

/** Time in ms in which several events are one reason to read the list again. */
const SETTLED = 400;

const list = at('list');
/** Spans of days, each with the most days ago that it holds. */
const SPANS = [[0, 'today'], [1, 'yesterday'], [6, 'week'], [29, 'month'], [Infinity, 'earlier']];
const GROUPS = {
  pinned: 'pinned', today: 'today', yesterday: 'yesterday', week: 'last-days', month: 'last-month', earlier: 'earlier',
  others: 'of-others',
};

/** Returns the group of an entry: a span of days is one of the reader's own. */
function groupOf({ group, at }) {
  if (!SPANS.some(([, span]) => span === group)) return group;
  const ago = Math.round((new Date(dayOf(Date.now())) - new Date(dayOf(at))) / 86_400_000);
  return SPANS.find(([most]) => ago <= most)[1];
}

/** Shows entries in their order, in the sections of their groups. */
function arrange(entries) {
  const sections = new Map();
  for (const entry of entries) {
    const group = groupOf(entry.dataset);
    if (!sections.has(group)) sections.set(group, []);
    sections.get(group).push(entry);
  }
  list.replaceChildren(...[...sections].map(([group, entries]) => {
    const label = t(GROUPS[group]);
    return make('section', { 'data-group': group, 'aria-label': label }, make('h2', {}, label), make('ul', {}, ...entries));
  }));
}

/** Makes an entry, as in sidebar.html. */
function entryOf({ id, address, organise, title, owned, at, group, pinned, unread, needs }) {
  const current = id === page.conversation;
  const link = make('a', { href: address, 'aria-current': current ? 'page' : null }, make('span', { class: 'title' }, title));
  if (owned) link.append(' ', make('small', {}, owned));
  if (needs) link.append(' ', make('b', { class: 'needs' }, t('needs-you')));
  if (unread && !current) link.append(' ', make('b', { class: 'fresh' }, unread, make('span', { class: 'unseen' }, ` ${t('unread')}`)));
  const entry = make('li', { 'data-id': id, 'data-at': at, 'data-group': group }, link);
  if (!organise) return entry;
  const name = t('options-of', { title });
  const pin = { form: 'organise', name: 'which', value: id, formaction: `/conversations/${pinned ? 'unpin' : 'pin'}` };
  entry.append(make('details', {}, make('summary', { 'aria-label': name, title: name }, '⋯'),
    make('p', { class: 'choices' }, make('button', pin, t(pinned ? 'unpin' : 'pin')),
      make('a', { class: 'button', href: organise }, t('rename-or-remove')))));
  return entry;
}

/** Shows the list that the server tells, and the title that it gave this conversation. */
function showList({ items }) {
  const held = list.contains(document.activeElement) && document.activeElement.closest('li')?.dataset.id;
  const open = list.querySelector('details[open]')?.closest('li').dataset.id;
  arrange(items.map(entryOf));
  const entry = id => list.querySelector(`[data-id="${CSS.escape(id)}"]`);
  if (open) entry(open)?.querySelector('details')?.setAttribute('open', '');
  if (held) entry(held)?.querySelector(open === held ? 'summary' : 'a').focus({ preventScroll: true });
  const here = items.find(({ id }) => id === page.conversation);
  const heading = document.querySelector('h1').firstChild;
  if (here && heading.data.trim() !== here.title) {
    heading.data = here.title;
    document.title = `${here.title} – Throughline`;
    unseen(0);
  }
  dispatchEvent(new CustomEvent('listed', { detail: items }));
}

let shownList = '';
async function readList() {
  const told = await read(`/conversations/list?page=${page.kind}`);
  if (told === null) return;
  const said = JSON.stringify(told);
  if (said !== shownList) showList(told);
  shownList = said;
}

/** Tells that the owner sees the conversation as it is, if it went on. */
let toldSeen = page.revision;
async function tellSeen() {
  const own = page.conversation.startsWith(`${me}:`);
  if (document.hidden || page.closed || !own || last === toldSeen) return;
  toldSeen = last;
  const form = new URLSearchParams({ csrf: CSRF, which: page.conversation });
  await fetch('/conversations/seen', { method: 'POST', body: form }).catch(() => null);
}

/** Runs an act once for everything that asks for it within a short time. */
function settled(act) {
  let timer = 0;
  return () => {
    timer ||= setTimeout(() => { timer = 0; act(); }, SETTLED);
  };
}

const renewList = settled(async () => {
  if (document.hidden) return;
  await tellSeen();
  await readList();
});

arrange([...list.querySelectorAll('li')]);
list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
new MutationObserver(renewList).observe(log, { childList: true });
addEventListener('conversations', renewList);
addEventListener('focus', renewList);
document.addEventListener('visibilitychange', renewList);
