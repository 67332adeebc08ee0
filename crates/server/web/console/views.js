// Saved views: names for filters, kept in this browser. A view is a link; nothing of it is on the server.
"use strict";

for (const place of document.querySelectorAll("[data-views]")) {
  const key = `throughline.views.${place.dataset.views}`;
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(key) ?? "[]");
      return Array.isArray(kept) ? kept.filter((one) => typeof one?.name === "string" && typeof one?.query === "string") : [];
    } catch {
      return [];
    }
  };
  const write = (views) => {
    try {
      localStorage.setItem(key, JSON.stringify(views));
    } catch {
      // A browser that keeps nothing has no saved views.
    }
    show();
  };
  // The filter of this page, without what is empty and without the place in the list.
  const here = () => {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of [...query]) if (value === "" || name === "cursor") query.delete(name);
    return query.toString();
  };
  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const show = () => {
    const views = read();
    const query = here();
    const parts = [];
    if (views.length > 0) {
      parts.push(element("ul", {}, ...views.map((view) => {
        const link = element("a", { href: `${location.pathname}?${view.query}`, textContent: view.name });
        if (view.query === query) link.setAttribute("aria-current", "page");
        const forget = element("button", { type: "button", className: "forget", textContent: "×" });
        forget.setAttribute("aria-label", `Forget the view ${view.name}`);
        forget.addEventListener("click", () => {
          write(read().filter((one) => one.name !== view.name));
          place.querySelector("a, input, button")?.focus();
        });
        return element("li", {}, link, forget);
      })));
    }
    if (query !== "" && !views.some((view) => view.query === query)) {
      const name = element("input", { name: "name", required: true, maxLength: 60, size: 18, autocomplete: "off" });
      const form = element("form", {}, element("label", { textContent: "Save this view as" }, name), element("button", { textContent: "Save" }));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const called = name.value.trim();
        if (called === "") return;
        write([...read().filter((one) => one.name !== called), { name: called, query }]);
        place.querySelector("[aria-current]")?.focus();
      });
      parts.push(form);
    }
    place.className = parts.length > 0 ? "views" : "";
    place.replaceChildren(...parts);
  };
  show();
}
