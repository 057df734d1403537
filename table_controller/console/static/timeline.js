// The game: its moves with scrubbing, the camera's picture of each moment, and search.
import { clock, el, picture, tile } from "./dom.js";

/** What a step is called, and all the words it can be found by. */
function text(step, w, lang, titles) {
  const h = step.happening;
  const moves = (step.moves || []).map((move) => w.move[move.move] || move.move).join(" ");
  const alerts = (step.alerts || []).map((alert) => titles(alert.key)?.[lang] || alert.id);
  const detail = h.kind === "machine" ? w.phase[h.state] || h.state : h.kind === "call" ? w.calls[h.call] || h.call : h.kind === "dice_rolled" || h.kind === "dice" ? (h.values || []).join(" + ") : "";
  const seat = h.seat !== null && h.seat !== undefined ? `${w.seat} ${h.seat}` : "";
  const name = moves || w.happening[h.kind] || w.move[h.kind] || h.kind;
  const found = [name, detail, seat, h.kind, h.tile || "", (h.tiles || []).join(" "), ...alerts, ...(step.alerts || []).map((alert) => alert.id)];
  return { name, detail, seat, alerts, found: found.join(" ").toLowerCase() };
}

const SHOWN = ["call", "entered", "not_looked"];

/** Rows and slider over all happenings; `show(n)` draws the table after n of them, null the live one. */
export class Timeline {
  constructor(parent, { show, correct, strike, alertOf }) {
    Object.assign(this, { parent, show, correct, strike, alertOf, steps: [], at: null, query: "", orders: [], seen: 0 });
    this.slider = el("input", { type: "range", min: 0, max: 0, value: 0, oninput: () => this.go(Number(this.slider.value)) });
    this.search = el("input", { type: "search", oninput: () => { this.query = this.search.value.trim().toLowerCase(); this.list(); } });
    this.rows = el("ol", { class: "moves" });
    this.pictures = el("div", { class: "moment" });
    this.count = el("output", {});
    this.back = el("button", { type: "button", onclick: () => this.step(-1) }, "‹");
    this.on = el("button", { type: "button", onclick: () => this.step(1) }, "›");
    parent.replaceChildren(el("div", { class: "stays" }, el("div", { class: "scrub" }, this.back, this.slider, this.on, this.count), this.pictures, this.search), this.rows);
  }

  /** `seen`: number of the newest order that is in it for sure. */
  take(body, seen, w, lang, start) {
    Object.assign(this, { steps: body.steps, orders: body.orders, seen, w, lang, start });
    this.slider.max = String(this.steps.length);
    this.slider.setAttribute("aria-label", w.scrub);
    this.back.setAttribute("aria-label", `${w.scrub} −1`);
    this.on.setAttribute("aria-label", `${w.scrub} +1`);
    this.search.setAttribute("aria-label", w.search);
    this.search.placeholder = w.search;
    if (this.at === null) this.slider.value = String(this.steps.length);
    this.list();
  }

  step(by) {
    const at = (this.at ?? this.steps.length) + by;
    if (at >= 1 && at <= this.steps.length) this.go(at);
  }

  list() {
    const { w, lang, start, query, seen } = this;
    const titles = (key) => this.alertOf(key)?.title;
    this.count.textContent = `${this.at ?? this.steps.length} / ${this.steps.length}`;
    const focused = document.activeElement?.closest?.("li")?.dataset.n;
    const rows = [];
    for (let index = this.steps.length - 1; index >= 0 && rows.length < 400; index--) {
      const step = this.steps[index], h = step.happening, words = text(step, w, lang, titles);
      if (query ? !query.split(/\s+/).every((word) => words.found.includes(word)) : !step.moves && !step.alerts && !SHOWN.includes(h.kind)) continue;
      const faces = (step.moves || []).flatMap((move) => move.tiles || (move.tile ? [move.tile] : [])).filter((face) => face !== "?" && face !== "back").slice(0, 14);
      const added = step.at === null && h.kind !== "entered";
      const mended = added || this.orders.some((order) => order.at === step.at && step.at !== null && ["replace", "remove"].includes(order.action));
      const here = this.at === step.n;
      rows.push(el("li", { class: here ? "here" : null, "data-n": step.n },
        el("button", { type: "button", class: "plain", "aria-current": here ? "step" : null, onclick: () => this.go(step.n) }, el("time", {}, clock(step.t, start)), ` ${words.seat} `, el("b", {}, words.name), words.detail ? ` ${words.detail}` : ""),
        el("span", { class: "faces" }, faces.map((face) => tile(face))),
        words.alerts.map((name) => el("span", { class: "tag bar" }, name)),
        (step.moves || []).some((move) => move.inferred) ? el("span", { class: "inferred" }, w.inferred) : null,
        mended ? el("span", { class: "tag" }, w.corrected) : null,
        this.correct && step.at !== null && h.tile && h.kind !== "tile_exposed" ? el("button", { type: "button", "aria-label": `${w.correct} ${h.tile}`, onclick: () => this.correct(step, seen) }, "✎") : null,
        this.strike && step.at !== null && here ? el("button", { type: "button", onclick: () => this.strike(step, seen) }, w.strike) : null));
    }
    this.rows.replaceChildren(...(rows.length ? rows : [el("li", { class: "empty" }, w.no_moves)]));
    if (focused) this.rows.querySelector(`li[data-n="${focused}"] button`)?.focus({ preventScroll: true });
  }

  go(n) {
    this.at = n === null || n >= this.steps.length && n !== this.steps.length ? null : n;
    if (this.at === this.steps.length && n !== null && !this.steps[n - 1]?.picture) this.at = null;
    this.slider.value = String(this.at ?? this.steps.length);
    const step = this.at === null ? null : this.steps[this.at - 1];
    this.pictures.replaceChildren(...this.shots(step));
    this.list();
    this.show(this.at, step);
  }

  shots(step) {
    if (!step) return [];
    const { w } = this;
    const of = (step.alerts || []).flatMap((alert) => this.alertOf(alert.key)?.files || []).filter((name) => name.endsWith(".jpg"));
    const files = step.picture ? [step.picture, ...of] : of;
    if (!files.length) return [el("p", { class: "empty" }, w.no_picture)];
    return files.map((name) => picture(`/evidence/${name}`, w.picture_of, w));
  }
}
