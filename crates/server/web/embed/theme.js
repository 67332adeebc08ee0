// The host's look: colours, radius, scheme, name and logo. A colour that could not be read is made readable, or left out.

/** The least contrast of text, as WCAG 2 counts it. */
const READABLE = 4.5;

/** Returns the red, green and blue of a colour, from 0 to 255; nothing if it is none. */
function channels(color) {
  if (!CSS.supports('color', color)) return null;
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const mixed = (one, other, share) => one.map((value, place) => Math.round(value + (other[place] - value) * share));
const written = rgb => `rgb(${rgb.join(' ')})`;

/** Returns the colour, as much nearer to the text's as it must be to be read on the ground. */
function readable(color, ground, text) {
  for (let share = 0; share < 1; share += 0.05) {
    const found = mixed(color, text, share);
    if (contrast(found, ground) >= READABLE) return found;
  }
  return text;
}

const styled = document.documentElement.style;
/** What the host set, which a later message may change in part. */
const look = {};

function applyTheme(changes) {
  Object.assign(look, changes);
  styled.colorScheme = ['light', 'dark'].includes(look.scheme) ? look.scheme : '';
  for (const name of ['--ground', '--surface', '--raised', '--sunken', '--text', '--quiet', '--accent', '--focus', '--on-accent']) styled.removeProperty(name);
  const [ground, text] = [look.background, look.text].map(color => color && channels(color));
  // Both or none: half a pair could not be read in one of the schemes.
  if (ground && text && contrast(ground, text) >= 7) {
    const colors = {
      '--ground': ground, '--surface': ground, '--raised': mixed(ground, text, 0.03), '--sunken': mixed(ground, text, 0.05),
      '--text': text, '--quiet': readable(mixed(text, ground, 0.4), mixed(ground, text, 0.05), text),
    };
    for (const [name, color] of Object.entries(colors)) styled.setProperty(name, written(color));
  }
  const accent = look.accent && channels(look.accent);
  if (accent) {
    const shown = getComputedStyle(document.body);
    const below = channels(getComputedStyle(document.documentElement).backgroundColor);
    const found = readable(accent, below, channels(shown.color));
    const ink = contrast(found, [255, 255, 255]) >= READABLE ? [255, 255, 255] : [0, 0, 0];
    styled.setProperty('--accent', written(found));
    styled.setProperty('--focus', written(found));
    styled.setProperty('--on-accent', written(ink));
    host.say({ throughline: 'accent', ink: contrast(accent, [255, 255, 255]) >= READABLE ? '#fff' : '#000' });
  }
  if (Number(look.radius) >= 0 && look.radius !== '') styled.setProperty('--radius', `${Math.min(Number(look.radius), 32)}px`);
  const brand = document.querySelector('.brand');
  if (typeof look.name === 'string' && look.name && brand) brand.textContent = look.name.slice(0, 60);
  if (typeof look.logo === 'string' && /^(https:|data:image\/)/.test(look.logo)) showLogo(brand, look.logo);
}

function showLogo(brand, address) {
  document.getElementById('logo')?.remove();
  const logo = Object.assign(document.createElement('img'), { id: 'logo', src: address, alt: '' });
  brand?.classList.add('marked');
  brand?.prepend(logo);
}

host.acts.theme = ({ theme }) => { if (theme && typeof theme === 'object') applyTheme(theme); };
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => applyTheme({}));
