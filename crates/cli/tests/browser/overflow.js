// Returns the elements that overflow the window sideways, or are cut off by a box. Scrollable boxes may be wider.
const wide = document.documentElement.scrollWidth > innerWidth ? [`the page: ${document.documentElement.scrollWidth}`] : [];
const scrolls = element => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
// An ellipsis shows that text is cut off, which is fine.
const hides = element => {
  const { overflowX, textOverflow } = getComputedStyle(element);
  return ['hidden', 'clip'].includes(overflowX) && textOverflow !== 'ellipsis';
};
const told = (element, why) => `${element.tagName.toLowerCase()}.${element.className}: ${why}`;

// Elements for screen readers only.
const unseen = element => element.getBoundingClientRect().width < 2 || getComputedStyle(element).clipPath !== 'none';

function within(element, test) {
  for (let at = element.parentElement; at; at = at.parentElement) if (test(at)) return true;
  return false;
}

const found = [...document.body.querySelectorAll('*')].flatMap(element => {
  const box = element.getBoundingClientRect();
  // The skip link is out of sight until it has the focus.
  if (!element.checkVisibility({ visibilityProperty: true }) || box.width < 2 || element.matches('.skip')) return [];
  if (within(element, scrolls) || within(element, unseen)) return [];
  if (box.left < -0.5 || box.right > innerWidth + 0.5) return [told(element, `${box.left} to ${box.right}`)];
  const cut = hides(element) && element.textContent.trim() && element.scrollWidth > element.clientWidth + 1;
  return cut ? [told(element, `${element.scrollWidth} in ${element.clientWidth}`)] : [];
});
return [...wide, ...found];
