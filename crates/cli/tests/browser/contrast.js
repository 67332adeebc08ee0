// Returns the texts of the page whose contrast with their background is below the limit. A canvas blends the colours, so
// that any notation of a style sheet works.
const [limit] = arguments;
const canvas = new OffscreenCanvas(1, 1);
const paint = canvas.getContext('2d', { willReadFrequently: true });

function pixel(layers) {
  paint.globalAlpha = 1;
  paint.fillStyle = matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#ffffff';
  paint.fillRect(0, 0, 1, 1);
  for (const { colour, alpha } of layers) {
    paint.globalAlpha = alpha;
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
  }
  return [...paint.getImageData(0, 0, 1, 1).data];
}

function luminance([red, green, blue]) {
  const linear = [red, green, blue].map(part => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

// Returns the backgrounds from the root to the element, each with the opacity it inherits.
function behind(element) {
  const ancestors = [];
  for (let at = element; at; at = at.parentElement) ancestors.unshift(at);
  let alpha = 1;
  const layers = ancestors.map(at => {
    const style = getComputedStyle(at);
    alpha *= Number(style.opacity);
    return { colour: style.backgroundColor, alpha, picture: style.backgroundImage !== 'none' };
  });
  return { layers, alpha };
}

const found = [];
function look(element, text, pseudo) {
  const { layers, alpha } = behind(element);
  const colour = getComputedStyle(element, pseudo).color;
  const ratio = contrast(pixel(layers), pixel([...layers, { colour, alpha }]));
  const told = `${element.tagName.toLowerCase()}.${element.className}${pseudo ?? ''} ${JSON.stringify(text)}`;
  if (layers.some(layer => layer.picture)) found.push(`${told}: on a picture, its contrast cannot be told`);
  if (ratio < limit) found.push(`${told}: ${ratio.toFixed(2)}`);
}

let looked = 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const text = texts.currentNode.data.trim().slice(0, 40);
  const element = texts.currentNode.parentElement;
  if (!text || !element.checkVisibility({ visibilityProperty: true, opacityProperty: false })) continue;
  looked += 1;
  look(element, text);
}
for (const field of document.querySelectorAll('input, textarea')) {
  if (!field.checkVisibility({ visibilityProperty: true })) continue;
  if (field.value) look(field, field.value.slice(0, 40));
  if (field.placeholder) look(field, field.placeholder, '::placeholder');
}
return { looked, found, dark: matchMedia('(prefers-color-scheme: dark)').matches };
