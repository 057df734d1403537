// The captured hand: tiles beside their camera pictures, fans, payments; any tile can be corrected.
import { el, tile } from "./panels.js";

/** Gives each tile the camera's picture of it: same face first, else what is left. */
class Crops {
  constructor(found) { this.left = (found?.crops || []).filter((crop) => crop.place !== "pool"); this.pool = (found?.crops || []).filter((crop) => crop.place === "pool"); }
  take(face, places) {
    const from = this.left.length ? this.left : this.pool;
    let at = from.findIndex((crop) => crop.face === face && places.includes(crop.place));
    if (at < 0) at = from.findIndex((crop) => crop.face === face);
    if (at < 0) at = from.findIndex((crop) => crop.face === "?" && places.includes(crop.place));
    return at < 0 ? null : from.splice(at, 1)[0];
  }
}

function piece(face, crop, w, cls, fix, where) {
  const parts = [tile(face, cls), crop ? el("img", { src: `/evidence/${crop.file}`, alt: "", class: "crop", loading: "lazy" }) : null];
  if (!fix) return el("span", { class: "piece" }, parts);
  return el("button", { type: "button", class: "piece", "aria-label": `${w.correct} ${face}`, onclick: () => fix({ ...where, was: face }, crop) }, parts);
}

function winTiles(win, number, found, w, fix) {
  const crops = new Crops(found), row = el("div", { class: "tiles" });
  win.tiles.forEach((face, index) => row.append(piece(face, crops.take(face, ["hand", "table"]), w, "", fix, { part: "standing", index, win: number })));
  (win.melds || []).forEach((meld, at) => {
    row.append(el("span", { class: "gap" }));
    meld.tiles.forEach((face, index) => row.append(piece(face, crops.take(face, ["meld"]), w, meld.sideways === index ? "sideways" : "", fix, { part: "meld", meld: at, index, win: number })));
  });
  if (win.win_tile) row.append(piece(win.win_tile, crops.take(win.win_tile, ["table", "hand", "pool"]), w, "winning", fix, { part: "win", win: number }));
  if ((win.flowers || []).length) {
    row.append(el("span", { class: "gap" }));
    win.flowers.forEach((face, index) => row.append(piece(face, crops.take(face, ["flower", "meld"]), w, "", fix, { part: "flower", index, win: number })));
  }
  return row;
}

const pick = (lang, en, zh) => lang === "en" ? [en, zh].filter(Boolean).join(" ") : zh || en;

function fans(win, w, lang) {
  return el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, w.fan), el("th", { scope: "col", class: "n" }, w.value), el("th", { scope: "col", class: "n" }, w.count))),
    el("tbody", {}, (win.fans || []).map((fan) => el("tr", {}, el("td", {}, pick(lang, fan.name_en, fan.name_zh)), el("td", { class: "n" }, String(fan.value)), el("td", { class: "n" }, String(fan.count))))),
    el("tfoot", {}, el("tr", {}, el("td", {}, w.total), el("td", { class: "n" }, String(win.total ?? `${win.han}/${win.fu}`)), el("td", {}))));
}

const row = (label, list, plus) => el("tr", {}, el("th", { scope: "row" }, label), list.map((value) => el("td", { class: "n" }, plus && value > 0 ? `+${value}` : String(value))));

export function handCard(hand, w, lang, found, { fix, confirm, undo }) {
  const title = hand.result === "win" || hand.under_check ? null : hand.result === "exhausted" ? w.exhausted : `${w.abort} ${hand.reason || ""}`;
  const state = hand.under_check ? w.under_check : hand.confirmed ? w.confirmed : w.unconfirmed;
  const wind = hand.round_wind ? `${w.winds[hand.round_wind]} ${w.round} · ` : "";
  return el("article", { class: `hand ${hand.under_check ? "check" : ""}`, id: hand.key },
    el("h3", {}, `${wind}${hand.hand ?? ""} `, el("small", { class: hand.confirmed ? "good" : "" }, state)),
    title ? el("p", {}, title) : null,
    hand.wins.map((win, number) => el("div", {},
      el("p", {}, `${w.winner}: ${w.seat} ${win.winner} (${w.seats[win.winner]}) · ${win.from === null || win.from === undefined ? w.self_drawn : `${w.from} ${win.from} (${w.seats[win.from]})`}`),
      winTiles(win, number, found, w, fix), fans(win, w, lang),
      win.legal === false ? el("p", { class: "bar" }, win.reason || w.minimum) : null)),
    hand.payments ? el("div", { class: "wide-table" }, el("table", {},
      el("thead", {}, el("tr", {}, el("td", {}), w.seats.map((seat, index) => el("th", { scope: "col", class: "n" }, `${index} ${seat}`)))),
      el("tbody", {}, row(w.payments, hand.payments, true), hand.penalties.some(Boolean) ? row(w.penalties, hand.penalties, true) : null, row(w.scores, hand.scores)))) : null,
    el("div", { class: "actions" },
      confirm && !hand.confirmed ? el("button", { type: "button", class: "main", onclick: confirm }, w.confirm_hand) : null,
      undo ? el("button", { type: "button", onclick: undo }, w.undo) : null));
}
