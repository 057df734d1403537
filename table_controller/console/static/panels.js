// The three panels: alerts, the captured hand, the moves. They build nodes, never HTML from text.
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
  const name = face === "?" ? "back" : face;
  return el("img", { src: `/static/tiles/${name}.svg`, alt: face, title: face, class: cls || null });
}

export function clock(t, start) {
  const s = Math.max(0, Math.floor(t - start));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

const pick = (lang, en, zh) => (lang === "en" ? en || zh : zh || en) || "";

export function alertCard(alert, w, lang, start, act) {
  const ruling = alert.ruling || {};
  const decided = alert.decision && alert.decision.action !== "undo" ? alert.decision : null;
  const facts = [
    ruling.points ? `${ruling.points > 0 ? "−" : ""}${Math.abs(ruling.points)} ${w.points}` : null,
    ruling.stop_win ? w.stop_win : null,
    ruling.play_along ? w.play_along : null,
    ruling.warning ? w.warning : null,
    ruling.penalty_tile ? `${w.penalty_tile} ${ruling.penalty_tile}` : null,
    alert.stage ? alert.stage : null,
    alert.count ? `#${alert.count}` : null,
    `${w.confidence} ${Math.round((alert.confidence ?? 1) * 100)}%`,
  ];
  const file = (end) => (alert.files || []).find((name) => name.endsWith(end));
  const pictures = [];
  for (const [end, name] of [["before.jpg", w.before], ["after.jpg", w.after]])
    if (file(end)) pictures.push(el("figure", {}, el("img", { src: `/evidence/${file(end)}`, alt: `${alert.id}: ${name}`, loading: "lazy" }), el("figcaption", {}, name)));
  if (file(".mp4")) pictures.push(el("figure", { class: "wide" }, el("video", { src: `/evidence/${file(".mp4")}`, controls: true, muted: true, preload: "none", "aria-label": w.clip }), el("figcaption", {}, w.clip)));
  const until = ruling.until_text || (ruling.until ? clock(ruling.until, start) : null);
  return el("article", { class: `alert ${ruling.points || ruling.stop_win ? "" : "minor"} ${decided ? "done" : ""}`, id: `alert-${alert.key}` },
    el("header", {},
      el("h3", {}, (alert.title && alert.title[lang]) || alert.id),
      alert.seat === null || alert.seat === undefined ? null : el("strong", {}, `${w.seat} ${alert.seat} (${w.seats[alert.seat]})`),
      el("time", {}, clock(alert.t, start)), el("span", { class: "id" }, alert.id)),
    el("p", { class: "ruling" }, pick(lang, ruling.summary, ruling.summary_zh)),
    ruling.remedy ? el("p", { class: "clause" }, `${w.remedy}: ${ruling.remedy}`) : null,
    el("ul", { class: "facts" }, facts.filter(Boolean).map((fact) => el("li", {}, fact))),
    el("p", { class: "clause" }, `${alert.rule.ruleset} · ${alert.rule.clause}${alert.rule.text ? ` — ${alert.rule.text}` : ""}`),
    until ? el("p", { class: "clause" }, `${w.until}: ${until}`) : null,
    pictures.length ? el("div", { class: "pictures" }, pictures) : null,
    decided
      ? el("div", { class: "actions" }, el("span", { class: "decided" }, `${decided.action === "accept" ? w.accepted : w.dismissed} · ${w.by} ${decided.by}${decided.reason ? ` · ${decided.reason}` : ""}`),
          el("button", { type: "button", onclick: () => act(alert, "undo") }, w.undo))
      : el("div", { class: "actions" }, el("button", { type: "button", class: "main", onclick: () => act(alert, "accept") }, w.accept),
          el("button", { type: "button", onclick: () => act(alert, "dismiss") }, w.dismiss)));
}

function tilesRow(win) {
  const row = el("div", { class: "tiles" });
  for (const face of win.tiles) row.append(tile(face));
  for (const meld of win.melds || []) {
    row.append(el("span", { class: "gap" }));
    for (const [index, face] of meld.tiles.entries()) row.append(tile((meld.face_down || []).includes(index) ? "back" : face, meld.sideways === index ? "sideways" : ""));
  }
  if (win.win_tile) row.append(tile(win.win_tile, "winning"));
  return row;
}

function numbers(w, label, list) {
  return el("tr", {}, el("th", { scope: "row" }, label), list.map((value) => el("td", { class: "n" }, value > 0 && label !== w.scores ? `+${value}` : String(value))));
}

export function handCard(hand, w, lang) {
  const title = hand.result === "win" ? null : hand.result === "exhausted" ? w.exhausted : `${w.abort} ${hand.reason || ""}`;
  return el("article", { class: "hand" },
    el("h3", {}, `${w.winds[hand.round_wind]} ${w.round} · ${hand.hand}${hand.confirmed ? "" : ` · ${w.unconfirmed}`}`),
    title ? el("p", {}, title) : null,
    hand.wins.map((win) => el("div", {},
      el("p", {}, `${w.winner}: ${w.seat} ${win.winner} (${w.seats[win.winner]}) · ${win.from === null || win.from === undefined ? w.self_drawn : `${w.from} ${win.from} (${w.seats[win.from]})`}`),
      tilesRow(win),
      (win.flowers || []).length ? el("p", {}, `${w.flowers}: `, win.flowers.map((face) => tile(face)).reduce((row, img) => (row.append(img), row), el("span", { class: "tiles" }))) : null,
      el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, w.fan), el("th", { scope: "col", class: "n" }, w.value), el("th", { scope: "col", class: "n" }, w.count))),
        el("tbody", {}, (win.fans || []).map((fan) => el("tr", {}, el("td", {}, lang === "en" ? `${fan.name_en} ${fan.name_zh}` : fan.name_zh), el("td", { class: "n" }, String(fan.value)), el("td", { class: "n" }, String(fan.count))))),
        el("tfoot", {}, el("tr", {}, el("td", {}, w.total), el("td", { class: "n" }, String(win.total ?? `${win.han}/${win.fu}`)), el("td", {})))),
      win.legal === false ? el("p", { class: "bar" }, win.reason || w.minimum) : null)),
    el("table", {},
      el("thead", {}, el("tr", {}, el("th", {}), w.seats.map((seat, index) => el("th", { scope: "col", class: "n" }, `${index} ${seat}`)))),
      el("tbody", {}, numbers(w, w.payments, hand.payments), hand.penalties.some(Boolean) ? numbers(w, w.penalties, hand.penalties) : null, numbers(w, w.scores, hand.scores))));
}

export function moveRow(move, w, start) {
  const faces = move.tiles || (move.tile ? [move.tile] : []);
  return el("li", {},
    el("time", {}, clock(move.t, start)),
    el("span", {}, move.seat === null || move.seat === undefined ? "" : `${w.seat} ${move.seat}`),
    el("span", {}, `${w.move[move.move] || move.move}${move.kong ? ` (${move.kong})` : ""}${move.values ? ` ${move.values.join(" + ")}` : ""}`),
    el("span", {}, faces.filter((face) => face !== "?").slice(0, 14).map((face) => tile(face))),
    move.inferred ? el("span", { class: "inferred" }, w.inferred) : null);
}
