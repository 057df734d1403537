// The game: its moves with scrubbing and search, and the session's sheet.
import { clock, el, tile } from "./panels.js";

const text = (step, w) => {
  const h = step.happening;
  const moves = (step.moves || []).map((move) => w.move[move.move] || move.move).join(" ");
  return [moves || w.happening[h.kind] || h.kind, h.kind, h.seat !== null && h.seat !== undefined ? `${w.seat} ${h.seat}` : "", h.tile || "", (h.tiles || []).join(" "), (step.alerts || []).map((alert) => alert.id).join(" "), h.call || "", h.state || "", (h.values || []).join(" + ")];
};

/** Rows and slider over all happenings; `show(n)` draws the table after n of them, null the live one. */
export class Timeline {
  constructor(parent, { show, correct, strike, alertOf }) {
    Object.assign(this, { parent, show, correct, strike, alertOf, steps: [], at: null, query: "", orders: [] });
    this.slider = el("input", { type: "range", min: 0, max: 0, value: 0, oninput: () => this.go(Number(this.slider.value)) });
    this.search = el("input", { type: "search", oninput: () => { this.query = this.search.value.toLowerCase(); this.list(); } });
    this.rows = el("ol", { class: "moves" });
    this.pictures = el("div", { class: "pictures" });
    this.count = el("output", {});
    parent.replaceChildren(el("div", { class: "scrub" }, this.slider, this.count), this.search, this.pictures, this.rows);
  }

  take(body, w, start) {
    Object.assign(this, { steps: body.steps, orders: body.orders, w, start });
    this.slider.max = String(this.steps.length);
    this.slider.setAttribute("aria-label", w.scrub);
    this.search.setAttribute("aria-label", w.search);
    this.search.placeholder = w.search;
    if (this.at === null) this.slider.value = String(this.steps.length);
    this.list();
  }

  list() {
    const { w, start, query } = this;
    this.count.textContent = `${this.at ?? this.steps.length} / ${this.steps.length}`;
    const rows = [];
    for (let index = this.steps.length - 1; index >= 0 && rows.length < 400; index--) {
      const step = this.steps[index], words = text(step, w), h = step.happening;
      if (query ? !words.join(" ").toLowerCase().includes(query) : !step.moves && !step.alerts && !["call", "entered", "not_looked"].includes(h.kind)) continue;
      const faces = (step.moves || []).flatMap((move) => move.tiles || (move.tile ? [move.tile] : [])).filter((face) => face !== "?" && face !== "back").slice(0, 14);
      const mended = this.orders.some((order) => order.at === step.at && step.at !== null && ["replace", "remove"].includes(order.action));
      rows.push(el("li", { class: this.at === step.n ? "here" : null },
        el("button", { type: "button", class: "plain", onclick: () => this.go(step.n) }, el("time", {}, clock(step.t, start)), ` ${words[2]} `, el("b", {}, words[0]), h.call ? ` ${w.calls[h.call] || h.call}` : "", ` ${words[8]} `),
        el("span", { class: "faces" }, faces.map((face) => tile(face))),
        (step.alerts || []).map((alert) => el("span", { class: "tag bar" }, alert.id)),
        (step.moves || []).some((move) => move.inferred) ? el("span", { class: "inferred" }, w.inferred) : null,
        step.at === null || mended ? el("span", { class: "tag" }, w.corrected) : null,
        this.correct && step.at !== null && h.tile && h.kind !== "tile_exposed" ? el("button", { type: "button", "aria-label": `${w.correct} ${h.tile}`, onclick: () => this.correct(step) }, "✎") : null,
        this.strike && step.at !== null && step.n === this.at ? el("button", { type: "button", onclick: () => this.strike(step) }, w.strike) : null));
    }
    this.rows.replaceChildren(...(rows.length ? rows : [el("li", { class: "empty" }, w.no_moves)]));
  }

  go(n) {
    this.at = n === null || n >= this.steps.length ? null : n;
    this.slider.value = String(this.at ?? this.steps.length);
    const step = this.at === null ? null : this.steps[this.at - 1];
    const shown = (step?.alerts || []).flatMap((alert) => this.alertOf(alert.key)?.files || []).filter((name) => name.endsWith(".jpg"));
    this.pictures.replaceChildren(...shown.map((name) => el("img", { src: `/evidence/${name}`, alt: name })));
    this.list();
    this.show(this.at, step);
  }
}

/** Hands of the session with payments and totals, orders with undo, files to save. */
export function sheetPanel(sheet, orders, w, lang, start, { undo, exports, offence }) {
  const names = [0, 1, 2, 3].map((seat) => sheet.players?.[seat] || `${seat} ${w.seats[seat]}`);
  const cells = (list, plus) => list.map((value) => el("td", { class: "n" }, plus && value > 0 ? `+${value}` : String(value)));
  const sum = (hand) => hand.payments.map((value, seat) => value + hand.penalties[seat]);
  const result = (hand) => hand.result === "win" ? hand.wins.map((win) => `${win.winner} ${win.total ?? ""}`).join(", ") : hand.result === "exhausted" ? w.exhausted : w.abort;
  const undone = new Set(orders.filter((order) => order.action === "undo").map((order) => order.of));
  return [
    el("h3", {}, w.sheet), el("div", { class: "wide-table" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, w.hand_number), el("th", { scope: "col" }, w.result), names.map((name) => el("th", { scope: "col", class: "n" }, name)))),
      el("tbody", {}, sheet.hands.map((hand) => el("tr", {}, el("th", { scope: "row" }, `${w.winds[hand.round_wind]} ${hand.hand}${hand.confirmed ? "" : " *"}`), el("td", {}, result(hand)), cells(sum(hand), true)))),
      el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, w.penalties), el("td", {}), cells(sheet.totals.penalties, true)), el("tr", {}, el("th", { scope: "row" }, w.total), el("td", {}), cells(sheet.totals.scores))))),
    el("div", { class: "actions" }, offence ? el("button", { type: "button", onclick: offence }, w.enter_offence) : null,
      exports ? ["pdf", "xlsx", "csv", "json", ...exports].map((form) => el("a", { class: "button", href: `/api/export/${form}`, download: true }, form.toUpperCase())) : null),
    orders.length ? el("h3", {}, w.orders) : null,
    el("ol", { class: "moves" }, [...orders].reverse().filter((order) => order.action !== "undo" && !order.with).map((order) => el("li", { class: undone.has(order.number) ? "done" : null },
      el("time", {}, clock(order.t, start)), el("span", {}, `${w.order[order.action]} ${order.hand || order.about || order.happening?.kind || ""} ${order.happening?.tile || ""} · ${order.by}${order.reason ? ` · ${order.reason}` : ""}`),
      undone.has(order.number) ? el("span", { class: "tag" }, w.taken_back) : undo ? el("button", { type: "button", onclick: () => undo(order) }, w.undo) : null))),
  ].filter(Boolean);
}
