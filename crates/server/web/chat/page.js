// The chat's script: follows the conversation, sends messages and presses, and opens forms. Without it the page
// consists of links and forms with these functions.
//
// Its parts follow one another in one file, in the order of `asset.rs`, and use each other's functions; the workspace's script
// comes behind them. This part: the page, the words it says, and how elements are made.

const page = document.body.dataset;
const me = page.user;
const at = id => document.getElementById(id);
const [log, end, press, working] = ['log', 'end', 'press', 'working'].map(at);
const [say, text, waiting, newest] = ['say', 'text', 'waiting', 'newest'].map(at);

/** The sentences of this page in its language, brought along by the server. */
const WORDS = JSON.parse(document.querySelector('meta[name=words]').content);

/** Says a sentence with its values. */
function t(id, values = {}) {
  return WORDS[id].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Tells why a request was refused. What is said of the occurrence is in English, the title in the reader's language. */
function refusal({ title, detail }) {
  return document.documentElement.lang === 'en' ? detail ?? title : title;
}

/** Makes an element with attributes and children; null and undefined are left out. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

/** Removes the whitespace between the tags of the server's markup. */
function tighten(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const blank = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (!data.trim() && !parentElement.closest('.text, dd, li, h3')) blank.push(texts.currentNode);
  }
  for (const node of blank) node.remove();
}
