// Registers the service worker. It is in one file with the chat's scripts.

/** The only address of a script that this page makes itself. */
const worker = { createScriptURL: () => '/worker.js' };

async function install() {
  if (!('serviceWorker' in navigator) || window !== parent) return;
  const made = globalThis.trustedTypes?.createPolicy('worker', worker) ?? worker;
  await navigator.serviceWorker.register(made.createScriptURL('')).catch(() => null);
}

install();
