// Small helpers: they build nodes, never HTML from text.
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function tile(face, cls = "") {
  const name = !face || face === "?" ? "back" : face;
  return el("img", { src: `/static/tiles/${name}.svg`, alt: face || "?", title: face, class: cls || null });
}

export function clock(t, start) {
  const s = Math.max(0, Math.floor(t - start));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

export const keep = (key, value) => { try { if (value !== undefined) localStorage.setItem(key, value); return localStorage.getItem(key); } catch { return null; } };

const FOCUS = "button, a, input, select, video, summary";

/**
 * Children of a panel, each with a key and a text of what it shows: only those that changed are
 * made anew, so that a clip goes on playing and the keyboard keeps its place.
 */
export function keyed(parent, items) {
  const old = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  const nodes = items.map(([key, shows, build]) => {
    const text = typeof shows === "string" ? shows : JSON.stringify(shows);
    const there = old.get(key);
    if (there && there.dataset.shows === text) return there;
    const made = build();
    made.dataset.key = key;
    made.dataset.shows = text;
    if (there?.contains(document.activeElement)) {
      const at = [...there.querySelectorAll(FOCUS)].indexOf(document.activeElement);
      queueMicrotask(() => { const all = made.querySelectorAll(FOCUS); all[Math.min(Math.max(at, 0), all.length - 1)]?.focus(); });
    }
    return made;
  });
  nodes.forEach((node, index) => { if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null); });
  while (parent.children.length > nodes.length) parent.lastChild.remove();
}

/** One picture as large as the screen; closes with a tap, Escape or its button. */
export function enlarge(src, alt, w) {
  const dialog = document.getElementById("big");
  dialog.replaceChildren(el("form", { method: "dialog" }, el("button", { class: "main" }, w.close)), el("img", { src, alt, onclick: () => dialog.close() }));
  dialog.setAttribute("aria-label", alt);
  dialog.showModal();
}

/** A picture that can be enlarged. */
export const picture = (src, alt, w, cls = "") =>
  el("button", { type: "button", class: `shot ${cls}`, "aria-label": `${w.picture_big}: ${alt}`, onclick: () => enlarge(src, alt, w) }, el("img", { src, alt: "", loading: "lazy" }));
