// What a framed page and the page around it say to each other. Only hosts of the configuration are listened to, and only the
// page that holds the frame.

/** Returns true if an origin is one of a source of `web.frame_ancestors`, read as a content security policy reads it. */
function isOf(origin, source) {
  if (source === "'self'") return origin === location.origin;
  const url = new URL(origin);
  const [, scheme = location.protocol.slice(0, -1), host, port] = source.match(/^(?:(https?):\/\/)?([^:]+)(?::(.+))?$/);
  const isScheme = url.protocol === `${scheme}:` || (scheme === 'http' && url.protocol === 'https:');
  const isHost = host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host;
  const usual = { 'http:': '80', 'https:': '443' }[url.protocol];
  return isScheme && isHost && (port === '*' || (url.port || usual) === (port ?? usual));
}

/** The page around the frame, once it has spoken. */
const host = {
  origin: null,
  sources: JSON.parse(document.body.dataset.hosts),
  /** Acts on what the host says, by the name of the message. */
  acts: {},
  say(message) {
    if (this.origin) parent.postMessage(message, this.origin);
  },
};

addEventListener('message', ({ source, origin, data }) => {
  if (source !== parent || parent === window || !host.sources.some(known => isOf(origin, known))) return;
  if (typeof data?.throughline !== 'string') return;
  host.origin = origin;
  if (Object.hasOwn(host.acts, data.throughline)) host.acts[data.throughline](data);
});
