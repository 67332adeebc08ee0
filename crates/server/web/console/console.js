// Optional script of the console: copy buttons, j and k in lists, and pages that follow what happens.
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

// A page that is live follows its stream and reads itself again after an event, at most once in a while: an open lane at
// once, lists and counts a little later. What somebody typed, selected or opened stays; while they work in a form that
// sends, nothing changes under them.
const follow = (live) => {
  const lane = live.dataset.liveSays === undefined;
  const said = document.createElement("p");
  said.className = "unseen";
  said.setAttribute("role", "status");
  document.getElementById("main").append(said);
  const stream = new EventSource(live.dataset.live);
  let due = false;
  let told = false;
  const working = () => !lane && live.querySelector("form")?.contains(document.activeElement);
  const key = (element) => element?.getAttribute("href") ?? null;
  const put = (fresh) => {
    const form = live.querySelector("form.send textarea");
    const typed = form?.value ?? "";
    const focused = document.activeElement === form;
    const item = live.contains(document.activeElement) ? key(document.activeElement) : null;
    const ticked = new Set([...live.querySelectorAll("input[type=checkbox]:checked")].map((box) => box.name));
    const folds = () => [...live.querySelectorAll("details")].map((one, at) => [one, one.id || at]);
    const opened = new Set(folds().filter(([one]) => one.open).map(([, name]) => name));
    live.replaceChildren(...document.adoptNode(fresh).childNodes);
    folds().forEach(([one, name]) => { one.open = opened.has(name); });
    for (const box of live.querySelectorAll("input[type=checkbox]")) box.checked ||= ticked.has(box.name);
    const again = live.querySelector("form.send textarea");
    if (again) {
      again.value = typed;
      if (focused) again.focus();
    }
    if (item) [...live.querySelectorAll("a")].find((one) => key(one) === item)?.focus({ preventScroll: true });
    copyButtons(live);
  };
  const read = () => {
    due = false;
    if (working()) return later();
    const request = new XMLHttpRequest();
    request.responseType = "document";
    request.open("GET", location.href);
    request.onload = () => {
      const fresh = request.response?.querySelector("[data-live]");
      if (request.status !== 200 || !fresh) return;
      put(fresh);
      if (lane) {
        const newest = live.querySelector("[aria-labelledby=turns] tbody .reason")?.textContent;
        said.textContent = newest ? `New turn: ${newest}` : "";
      } else if (!told) {
        // Once: a list that changes all the time would talk all the time.
        told = true;
        said.textContent = live.dataset.liveSays;
      }
    };
    request.send();
  };
  const later = () => {
    if (due) return;
    due = true;
    setTimeout(read, lane ? 250 : 1500);
  };
  for (const kind of ["turn", "effect", "card"]) stream.addEventListener(kind, later);
};

copyButtons(document);
const live = document.querySelector("[data-live]");
if (live && !new URLSearchParams(location.search).has("before")) follow(live);

// Whoever looks at an approval needs no notification of it.
const approval = /^\/console\/approvals\/([^/]+)$/.exec(location.pathname)?.[1];
if (approval && "serviceWorker" in navigator) {
  navigator.serviceWorker.getRegistration()
    .then((worker) => worker?.getNotifications({ tag: decodeURIComponent(approval) }))
    .then((shown) => shown?.forEach((one) => one.close()))
    .catch(() => null);
}
