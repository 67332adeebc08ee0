// Runs before the page's own scripts: records violations of the content security policy, errors and dialogs.
window.noted = [];
document.addEventListener('securitypolicyviolation', event =>
  noted.push(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
window.addEventListener('error', event => noted.push(`error: ${event.message}`));
window.addEventListener('unhandledrejection', event => noted.push(`rejected: ${event.reason}`));
for (const dialog of ['alert', 'confirm', 'prompt']) {
  window[dialog] = text => { noted.push(`${dialog}: ${text}`); };
}
