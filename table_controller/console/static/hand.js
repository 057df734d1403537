// The captured hand: tiles beside their camera pictures, fans, payments; any tile can be corrected.
import { el, tile } from "./dom.js";
import { fill } from "./words.js";
import JA from "./words/fans-ja.js";

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
  const doubt = crop && crop.confidence !== undefined && crop.confidence < .9 ? "doubt" : "";
  const parts = [tile(face, cls), crop ? el("img", { src: `/evidence/${crop.file}`, alt: "", class: `crop ${doubt}`, loading: "lazy" }) : null];
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

function fanName(fan, family, lang) {
  if (lang === "ja") return JA[family]?.[fan.id] || fan.name_zh || fan.name_en;
  return lang === "en" ? [fan.name_en, fan.name_zh].filter(Boolean).join(" ") : fan.name_zh || fan.name_en;
}

/** The total in the words of the rules: points, or han and fu with their limit. */
function total(win, w) {
  if (win.yakuman) return `${win.yakuman} × ${w.yakuman}`;
  const hanfu = win.han === undefined || win.han === null ? null : fill(w.hanfu, { han: win.han, fu: win.fu ?? "–" });
  const limit = win.limit ? w.limit[win.limit] || win.limit : null;
  return hanfu ? [hanfu, limit].filter(Boolean).join(" · ") : String(win.total ?? "");
}

function fans(win, w, lang, family) {
  return el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, w.fan), el("th", { scope: "col", class: "n" }, family === "riichi" ? w.han : w.value), el("th", { scope: "col", class: "n" }, w.count))),
    el("tbody", {}, (win.fans || []).map((fan) => el("tr", {}, el("td", {}, fanName(fan, family, lang)), el("td", { class: "n" }, String(fan.value)), el("td", { class: "n" }, String(fan.count))))),
    el("tfoot", {}, el("tr", {}, el("td", {}, w.total), el("td", { class: "n", colspan: 2 }, total(win, w)))));
}

/** Indicators, counters, sticks and liability: what a riichi win was reckoned with. */
function situation(win, w) {
  const given = win.situation;
  if (!given) return null;
  const s = w.situation, row = (label, faces) => faces?.length ? el("span", { class: "indicators" }, `${label} `, faces.map((face) => tile(face))) : null;
  const words = [
    given.riichi === 2 ? s.double_riichi : given.riichi ? s.riichi : null, given.ippatsu ? s.ippatsu : null,
    given.norths ? `${s.norths} ${given.norths}` : null, `${s.honba} ${given.honba}`, `${s.sticks} ${given.sticks}`,
    given.liable === null || given.liable === undefined ? null : `${s.liable}: ${w.seat} ${given.liable} (${w.seats[given.liable]})`,
  ];
  return el("div", { class: "situation" }, row(s.dora, given.dora), row(s.ura, given.ura), el("ul", { class: "facts" }, words.filter(Boolean).map((word) => el("li", {}, word))));
}

const row = (label, list, plus) => el("tr", {}, el("th", { scope: "row" }, label), list.map((value) => el("td", { class: "n" }, plus && value > 0 ? `+${value}` : String(value))));

/** The three steps of the check: two to be ticked, the third is the referee's own. */
function check(hand, w, ticked, tick, confirm) {
  const step = (name) => el("button", { type: "button", class: "step", "aria-pressed": String(ticked.has(name)), onclick: () => tick(name) }, w.step[name]);
  const ready = ticked.has("declared") && ticked.has("agreed");
  return el("div", { class: "steps", role: "group", "aria-label": w.check_steps }, step("declared"), step("agreed"),
    el("button", { type: "button", class: "main step", disabled: !ready, onclick: () => confirm([...ticked]) }, `${w.step.decided}: ${w.confirm_hand}`));
}

export function handCard(hand, w, lang, found, family, { fix, confirm, undo, protest, lift, ticked, tick, protests = [] }) {
  const reason = w.abort_reason[hand.reason] || hand.reason || "";
  const title = hand.result === "win" || hand.under_check ? null : hand.result === "exhausted" ? [w.exhausted, reason].filter(Boolean).join(" · ") : `${w.abort} ${reason}`;
  const state = hand.under_check ? w.under_check : hand.confirmed ? w.confirmed : w.unconfirmed;
  const wind = hand.round_wind ? `${w.winds[hand.round_wind]} ${w.round} · ` : "";
  return el("article", { class: `hand ${hand.under_check ? "check" : ""}`, id: hand.key },
    el("h3", {}, `${wind}${hand.hand ?? ""} `, el("small", { class: hand.confirmed ? "good" : "" }, state), protests.length ? el("small", { class: "tag bar" }, w.protested) : null),
    title ? el("p", {}, title) : null,
    (hand.wins || []).map((win, number) => el("div", {},
      el("p", {}, `${w.winner}: ${w.seat} ${win.winner} (${w.seats[win.winner]}) · ${win.from === null || win.from === undefined ? w.self_drawn : `${w.from} ${win.from} (${w.seats[win.from]})`}`),
      winTiles(win, number, found[number], w, fix), situation(win, w), fans(win, w, lang, family),
      win.legal === false ? el("p", { class: "bar" }, w.not_a_win[win.reason] || w.minimum) : null)),
    hand.payments ? el("div", { class: "wide-table" }, el("table", {},
      el("thead", {}, el("tr", {}, el("td", {}), w.seats.map((seat, index) => el("th", { scope: "col", class: "n" }, `${index} ${seat}`)))),
      el("tbody", {}, row(w.payments, hand.payments, true), hand.penalties?.some(Boolean) ? row(w.penalties, hand.penalties, true) : null, hand.scores ? row(w.scores, hand.scores) : null))) : null,
    protests.map((one) => el("p", { class: "decided bar" }, `${w.protest}: ${one.reason} · ${one.by}`)),
    confirm && hand.under_check ? check(hand, w, ticked, tick, confirm) : null,
    el("div", { class: "actions" },
      confirm && !hand.confirmed && !hand.under_check ? el("button", { type: "button", class: "main", onclick: () => confirm([]) }, w.confirm_hand) : null,
      undo ? el("button", { type: "button", onclick: undo }, w.undo) : null,
      protests.length ? lift && el("button", { type: "button", class: "quiet", onclick: () => lift(protests[0]) }, w.lift) : protest && el("button", { type: "button", class: "quiet", onclick: protest }, w.protest)));
}
