// Optional script of the console: copy buttons, j and k in lists, and live updates of an open lane.
"use strict";

const copyButtons = (root) => {
  if (!navigator.clipboard) return;
  for (const place of root.querySelectorAll("[data-copy]")) {
    if (place.nextElementSibling?.classList.contains("copy")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(place.textContent.trim());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    place.after(button);
  }
};

const writing = (element) => element?.closest("input, textarea, select, [contenteditable]");

// j and k move down and up the lists of a page, / moves to the search field.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || writing(event.target)) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("q")?.focus();
    return;
  }
  const step = { j: 1, k: -1 }[event.key];
  if (!step) return;
  const items = [...document.querySelectorAll("[data-list] [data-item]")];
  if (items.length === 0) return;
  const at = items.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + step, 0), items.length - 1);
  items[next].focus();
  items[next].scrollIntoView({ block: "nearest" });
});

// An open lane follows its stream and reads its page again after each event.
const follow = (live) => {
  const said = document.createElement("p");
  said.className = "unseen";
  said.setAttribute("role", "status");
  document.getElementById("main").append(said);
  const stream = new EventSource(live.dataset.live);
  let due = false;
  const read = () => {
    due = false;
    const form = live.querySelector("form.send textarea");
    const request = new XMLHttpRequest();
    request.responseType = "document";
    request.open("GET", location.href);
    request.onload = () => {
      const fresh = request.response?.querySelector("[data-live]");
      if (request.status !== 200 || !fresh) return;
      const typed = form?.value ?? "";
      const focused = document.activeElement === form;
      const folds = () => [...live.querySelectorAll("details")].map((one, at) => [one, one.id || at]);
      const opened = new Set(folds().filter(([one]) => one.open).map(([, name]) => name));
      live.replaceChildren(...document.adoptNode(fresh).childNodes);
      folds().forEach(([one, name]) => { one.open = opened.has(name); });
      const again = live.querySelector("form.send textarea");
      if (again) {
        again.value = typed;
        if (focused) again.focus();
      }
      copyButtons(live);
      const newest = live.querySelector("[aria-labelledby=turns] tbody .reason")?.textContent;
      said.textContent = newest ? `New turn: ${newest}` : "";
    };
    request.send();
  };
  stream.addEventListener("turn", () => {
    if (due) return;
    due = true;
    setTimeout(read, 250);
  });
};

copyButtons(document);
const live = document.querySelector("[data-live]");
if (live && !new URLSearchParams(location.search).has("before")) follow(live);
