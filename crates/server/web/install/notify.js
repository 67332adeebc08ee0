// The switch of notifications on this device. The button is there if the server sends any; it shows where the browser can.

const notify = at('notify');

/** Returns the bytes of a key in Base64 for addresses. */
const bytesOf = key => Uint8Array.from(atob(key.replace(/-/g, '+').replace(/_/g, '/')), letter => letter.charCodeAt(0));

async function tellPush(path, fields) {
  const body = new URLSearchParams({ csrf: CSRF, ...fields });
  return fetch(`/push/${path}`, { method: 'POST', body }).then(({ ok, status }) => (ok ? true : status), () => null);
}

/** Returns the part of the service worker that subscribes. */
const pushManager = async () => (await navigator.serviceWorker.ready).pushManager;

/** Returns true if a subscription is for the key that the server has now. */
function isCurrent({ options }) {
  const held = options?.applicationServerKey;
  return !held || String(new Uint8Array(held)) === String(bytesOf(notify.dataset.key));
}

function showNotify(on) {
  notify.setAttribute('aria-pressed', on);
  notify.hidden = false;
}

/** Subscribes and tells the server, which has to have it before it counts. */
async function subscribe() {
  const manager = await pushManager();
  const held = await manager.getSubscription();
  if (held && !isCurrent(held)) await held.unsubscribe();
  const subscription = await manager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(notify.dataset.key) });
  return await tellPush('on', { subscription: JSON.stringify(subscription) }) === true;
}

async function switchOn() {
  if (await Notification.requestPermission() !== 'granted') return toast(t('notify-forbidden'), true);
  const on = await subscribe().catch(() => false);
  if (on) showNotify(true);
  else toast(t('notify-failed'), true);
}

async function switchOff() {
  const held = await (await pushManager()).getSubscription();
  if (held && await tellPush('off', { endpoint: held.endpoint }) !== true) return toast(t('notify-failed'), true);
  await held?.unsubscribe();
  showNotify(false);
}

/** Shows the switch as it stands: on if this browser is subscribed and the server knows it as this person's. */
async function offerNotify() {
  if (!('PushManager' in window && 'Notification' in window && 'serviceWorker' in navigator) || window !== parent) return;
  notify.addEventListener('click', async () => {
    notify.disabled = true;
    await (notify.getAttribute('aria-pressed') === 'true' ? switchOff() : switchOn()).catch(() => toast(t('notify-failed'), true));
    notify.disabled = false;
  });
  showNotify(false);
  const held = await (await pushManager()).getSubscription();
  if (!held || Notification.permission !== 'granted') return;
  const known = await tellPush('seen', { endpoint: held.endpoint }) === true;
  showNotify(known && (isCurrent(held) || await subscribe().catch(() => false)));
}

if (notify) offerNotify();
