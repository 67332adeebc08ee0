// Runs before anything of the page: notes each rule of its content policy that it breaks, each error and each dialog.
window.noted = [];
document.addEventListener('securitypolicyviolation', event =>
  noted.push(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
window.addEventListener('error', event => noted.push(`error: ${event.message}`));
window.addEventListener('unhandledrejection', event => noted.push(`rejected: ${event.reason}`));
for (const dialog of ['alert', 'confirm', 'prompt']) {
  window[dialog] = text => { noted.push(`${dialog}: ${text}`); };
}
