// The service worker: it says that the network is away, and keeps nothing else. Every page comes from the server, so none is stale.
// It also shows notifications. The server puts PARTS before it: the page that says so, and its style sheet, whose address changes
// with its content; and ICON, the address of a picture.

const KEPT = `offline ${PARTS.join(' ')}`;

addEventListener('install', event => {
  const keep = async () => (await caches.open(KEPT)).addAll(PARTS.map(part => new Request(part, { cache: 'reload' })));
  event.waitUntil(keep().then(() => skipWaiting()));
});

addEventListener('activate', event => {
  const drop = async () => Promise.all((await caches.keys()).filter(name => name !== KEPT).map(name => caches.delete(name)));
  event.waitUntil(drop().then(() => clients.claim()));
});

addEventListener('fetch', event => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  const isPage = request.mode === 'navigate' && request.method === 'GET';
  if (!isPage && !PARTS.includes(pathname)) return;
  event.respondWith(fetch(request).catch(() => caches.match(isPage ? PARTS[0] : pathname)));
});

// What waits for a decision. A second notice of the same approval takes the place of the first.
addEventListener('push', event => {
  const { title, body, language, approval } = event.data.json();
  const shown = { body, lang: language, tag: approval, icon: ICON, data: `/console/approvals/${encodeURIComponent(approval)}` };
  event.waitUntil(registration.showNotification(title, shown));
});

addEventListener('notificationclick', event => {
  const { notification } = event;
  notification.close();
  const open = async () => {
    const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
    const there = windows.find(({ url }) => new URL(url).pathname === notification.data);
    return there ? there.focus() : clients.openWindow(notification.data);
  };
  event.waitUntil(open());
});
