// The session: score sheet, protests, what was corrected and entered, files to save, the audit log.
import { clock, el } from "./dom.js";
import { fill } from "./words.js";

function scores(sheet, w) {
  const names = [0, 1, 2, 3].map((seat) => sheet.players?.[seat] || `${seat} ${w.seats[seat]}`);
  const cells = (list, plus) => list.map((value) => el("td", { class: "n" }, plus && value > 0 ? `+${value}` : String(value)));
  const sum = (hand) => hand.payments.map((value, seat) => value + hand.penalties[seat]);
  const won = (win) => `${names[win.winner]} ${win.total ?? ""}`;
  const result = (hand) => hand.result === "win" ? hand.wins.map(won).join(", ") : hand.result === "exhausted" ? w.exhausted : `${w.abort} ${w.abort_reason[hand.reason] || hand.reason || ""}`;
  const mark = (hand) => `${hand.confirmed ? "" : " *"}${hand.protested ? ` ${w.protested}` : ""}`;
  return el("div", { class: "wide-table" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, w.hand_number), el("th", { scope: "col" }, w.result), names.map((name) => el("th", { scope: "col", class: "n" }, name)))),
    el("tbody", {}, sheet.hands.map((hand) => el("tr", {}, el("th", { scope: "row" }, `${w.winds[hand.round_wind]} ${hand.hand}${mark(hand)}`), el("td", {}, result(hand)), cells(sum(hand), true)))),
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, w.penalties), el("td", {}), cells(sheet.totals.penalties, true)), el("tr", {}, el("th", { scope: "row" }, w.total), el("td", {}), cells(sheet.totals.scores)))));
}

const line = (time, words, cls, ...more) => el("li", { class: cls }, el("time", {}, time), el("span", {}, words), more);

function protestList(protests, w, start, lift) {
  return protests.map((one) => line(clock(one.t, start), `${one.about} · ${one.seat === null ? "" : `${w.seat} ${one.seat} · `}${one.reason} · ${one.by}`, one.lifted ? "done" : null,
    one.lifted ? el("span", { class: "tag" }, fill(w.lifted, one.lifted)) : lift ? el("button", { type: "button", onclick: () => lift(one) }, w.lift) : null));
}

function orderList(orders, w, start, undo) {
  const undone = new Set(orders.filter((order) => order.action === "undo").map((order) => order.of));
  const what = (order) => order.hand || order.about || (order.happening ? `${w.happening[order.happening.kind] || order.happening.kind} ${order.happening.tile || ""}` : "");
  return [...orders].reverse().filter((order) => order.action !== "undo" && !order.with).map((order) => line(clock(order.t, start),
    `${w.order[order.action]} ${what(order)} · ${order.by}${order.reason ? ` · ${order.reason}` : ""}`, undone.has(order.number) ? "done" : null,
    undone.has(order.number) ? el("span", { class: "tag" }, w.taken_back) : undo ? el("button", { type: "button", onclick: () => undo(order) }, w.undo) : null));
}

function auditList(log, w, start) {
  const words = (one) => {
    if (one.entry === "note") return `${w.audited[one.audit] || one.audit} · ${[w.role[one.role], one.name].filter(Boolean).join(" · ")}`;
    if (one.machine) return `${w.order_word[one.machine] || one.machine} · ${one.by}`;
    const action = { accept: w.accepted, change: w.changed, dismiss: w.dismissed, undo: w.taken_back, lift: w.lift, protest: "" }[one.action] ?? w.order[one.action] ?? one.action;
    return `${w.audit_line[one.entry]} ${action} ${one.alert || one.about || one.hand || ""} · ${one.by}${one.reason ? ` · ${one.reason}` : ""}`;
  };
  return log.slice(0, 100).map((one) => line(clock(one.at, start), words(one), null));
}

/** Everything of the session; the functions are null for those who may not. */
export function sessionPanel(sheet, orders, log, w, start, { undo, lift, exports, offence }) {
  const forms = exports ? ["pdf", "xlsx", "csv", "json", ...exports] : [];
  const list = (title, items) => items.length ? [el("h3", {}, title), el("ol", { class: "moves" }, items)] : [];
  return [
    el("h3", {}, w.sheet), scores(sheet, w),
    el("div", { class: "actions" }, offence ? el("button", { type: "button", class: "main", onclick: offence }, w.enter_offence) : null,
      forms.map((form) => el("a", { class: "button", href: `/api/export/${form}`, download: true, "aria-label": `${w.save}: ${w.form[form]}` }, w.form[form]))),
    ...list(w.protests, protestList(sheet.protests || [], w, start, lift)),
    ...list(w.orders, orderList(orders, w, start, undo)),
    log?.length ? el("details", {}, el("summary", {}, w.audit), el("ol", { class: "moves" }, auditList(log, w, start))) : null,
  ].filter(Boolean);
}
