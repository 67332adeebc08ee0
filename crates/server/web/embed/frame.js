// The chat in a frame: what is new is counted while it is closed. It follows the chat's scripts in one file.

let closed = false;
let arrived = 0;
let elsewhere = 0;
const tellUnread = () => host.say({ throughline: 'unread', count: arrived + elsewhere });

host.acts.hello = () => host.say({ throughline: 'ready' });
host.acts.open = () => {
  closed = false;
  delete page.closed;
  arrived = 0;
  tellUnread();
  renewList();
  text?.focus();
};
host.acts.close = () => {
  closed = true;
  page.closed = 'yes';
};

new MutationObserver(records => {
  const added = records.flatMap(record => [...record.addedNodes]);
  const news = added.filter(node => node.matches?.('.ours, .theirs, .notice')).length;
  if (!closed || !news) return;
  arrived += news;
  tellUnread();
}).observe(log, { childList: true });

addEventListener('listed', ({ detail }) => {
  elsewhere = detail.reduce((sum, { id, unread }) => sum + (id === page.conversation ? 0 : unread), 0);
  tellUnread();
});
at('leave').addEventListener('click', () => host.say({ throughline: 'close' }));
document.addEventListener('keydown', event => {
  const open = document.querySelector('dialog[open], :popover-open');
  if (event.key === 'Escape' && !event.defaultPrevented && !open) host.say({ throughline: 'close' });
});
