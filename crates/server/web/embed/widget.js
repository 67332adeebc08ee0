// The widget of a page that embeds the chat: a button that opens the chat in a frame. It runs in the other site's page, so it
// keeps to one name there, throughline, and to a shadow root.

(() => {
  const script = document.currentScript;
  const home = new URL(script.src).origin;
  const settings = { ...script.dataset };
  const heard = new Map();
  const root = document.createElement('div').attachShadow({ mode: 'open' });
  const style = new CSSStyleSheet();
  style.replaceSync(`
    :host { all: initial; position: fixed; z-index: 2147483000; inset-block-end: 1.25rem; inset-inline-end: 1.25rem; color-scheme: light dark; }
    :host([data-side=left]) { inset-inline: 1.25rem auto; }
    button {
      position: relative; display: grid; place-items: center; inline-size: 3.5rem; block-size: 3.5rem; margin: 0 0 0 auto; padding: 0;
      border: 0; border-radius: 50%; background: var(--accent, #3546c4); color: var(--on-accent, #fff);
      font: 600 1rem system-ui, sans-serif; box-shadow: 0 4px 16px #0004; cursor: pointer;
    }
    button:focus-visible { outline: 3px solid var(--accent, #3546c4); outline-offset: 3px; }
    svg { inline-size: 1.6rem; block-size: 1.6rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
    b {
      position: absolute; inset: -0.2rem -0.2rem auto auto; min-inline-size: 1.3rem; padding-inline: 0.2rem; box-sizing: border-box;
      border-radius: 1rem; background: #a3211b; color: #fff; font: 600 0.8rem/1.3rem system-ui, sans-serif; text-align: center;
    }
    iframe {
      display: block; inline-size: min(26rem, 100vw - 2.5rem); block-size: min(42rem, 100dvh - 7rem); margin-block-end: 0.75rem; border: 0;
      border-radius: var(--radius, 0.875rem); box-shadow: 0 8px 40px #0005; background: Canvas;
    }
    [hidden] { display: none; }
    @media (max-width: 30rem) {
      iframe { position: fixed; inset: 0; inline-size: 100vw; block-size: 100dvh; margin: 0; border-radius: 0; }
    }
  `);
  root.adoptedStyleSheets = [style];
  root.host.dataset.side = settings.side ?? 'right';

  const make = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
  const badge = make('b', { hidden: true });
  const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', 'M4 5h16v11H9l-5 4z');
  picture.append(line);
  const launcher = make('button', { type: 'button' });
  launcher.append(picture, badge);
  launcher.setAttribute('aria-expanded', 'false');
  root.append(launcher);

  let frame = null;
  let ready = false;
  let link = null;
  const told = [];

  /** Tells the frame something, once it listens. */
  function tell(message) {
    if (ready) frame.contentWindow.postMessage(message, home);
    else told.push(message);
  }

  /** Makes the frame, which stays when the chat is closed. */
  function load() {
    if (frame) return;
    frame = make('iframe', { title: settings.name ?? 'Chat', hidden: true, src: `${home}/embed` });
    frame.addEventListener('load', () => {
      ready = false;
      frame.contentWindow.postMessage({ throughline: 'hello' }, home);
    });
    root.prepend(frame);
  }

  function show(open) {
    load();
    frame.hidden = !open;
    launcher.setAttribute('aria-expanded', String(open));
    name();
    tell({ throughline: open ? 'open' : 'close' });
    if (open) frame.focus();
    else launcher.focus();
    say(open ? 'open' : 'close');
  }

  function name(unread = Number(badge.textContent)) {
    const title = settings.name ?? 'Chat';
    launcher.setAttribute('aria-label', unread ? `${title} (${unread})` : title);
  }

  const say = (event, detail) => heard.get(event)?.forEach(act => act(detail));

  function theme(changes) {
    Object.assign(settings, changes);
    const { accent, radius } = settings;
    if (accent && CSS.supports('color', accent)) root.host.style.setProperty('--accent', accent);
    if (Number(radius) >= 0) root.host.style.setProperty('--radius', `${Number(radius)}px`);
    if (frame) frame.title = settings.name ?? 'Chat';
    name();
    tell({ throughline: 'theme', theme: { ...settings } });
  }

  const happenings = {
    ready() {
      ready = true;
      for (const message of [{ throughline: 'theme', theme: { ...settings } }, ...told.splice(0)]) tell(message);
      tell({ throughline: frame.hidden ? 'close' : 'open' });
    },
    accent: ({ ink }) => root.host.style.setProperty('--on-accent', ink),
    unread({ count }) {
      badge.textContent = count;
      badge.hidden = !count;
      name(count);
      say('unread', count);
    },
    close: () => show(false),
    async 'sign-in'() {
      const made = link ?? await settings.link?.();
      link = null;
      if (made) frame.contentWindow.postMessage({ throughline: 'sign-in', link: made }, home);
      else say('sign-in');
    },
  };

  addEventListener('message', event => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== home) return;
    happenings[event.data?.throughline]?.(event.data);
  });
  launcher.addEventListener('click', () => show(!frame || frame.hidden));
  root.addEventListener('keydown', event => { if (event.key === 'Escape' && frame && !frame.hidden) show(false); });

  globalThis.throughline = Object.freeze({
    open: () => show(true),
    close: () => { if (frame) show(false); },
    theme,
    /** Signs a person in by a link that the page's server had made, or states a function that gets one. */
    signIn(by) {
      if (typeof by === 'function') settings.link = by;
      else link = by;
      if (frame && ready) tell({ throughline: 'hello' });
    },
    on(event, act) {
      heard.set(event, [...(heard.get(event) ?? []), act]);
      return () => heard.set(event, heard.get(event).filter(other => other !== act));
    },
  });

  theme({});
  const put = () => document.body.append(root.host);
  if (document.body) put();
  else addEventListener('DOMContentLoaded', put);
  if (settings.load === 'eager') load();
})();
