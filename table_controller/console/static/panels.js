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
  const ordered = decided?.ruling || ruling;
  const facts = [
    ordered.points ? `−${Math.abs(ordered.points)} ${w.points}` : null,
    ordered.stop_win ? w.stop_win : null,
    ordered.play_along ? w.play_along : null,
    ordered.warning ? w.warning : null,
    ordered.penalty_tile ? `${w.penalty_tile} ${ordered.penalty_tile}` : null,
    alert.stage ? alert.stage : null,
    alert.count ? `#${alert.count}` : null,
    `${w.confidence} ${Math.round((alert.confidence ?? 1) * 100)}%`,
  ];
  const file = (end) => (alert.files || []).find((name) => name.endsWith(end));
  const pictures = [];
  for (const [end, name] of [["before.jpg", w.before], ["after.jpg", w.after]])
    if (file(end)) pictures.push(el("figure", {}, el("img", { src: `/evidence/${file(end)}`, alt: `${alert.id}: ${name}`, loading: "lazy" }), el("figcaption", {}, name)));
  if (file(".webm")) pictures.push(el("figure", { class: "wide" }, el("video", { src: `/evidence/${file(".webm")}`, controls: true, muted: true, preload: "none", "aria-label": w.clip }), el("figcaption", {}, w.clip)));
  const until = w.windows[ruling.window] || ruling.until_text || (ruling.until ? clock(ruling.until, start) : null);
  const gone = alert.withdrawn ? w.withdrawn : alert.passed ? w.passed : null;
  const state = { accept: w.accepted, change: w.changed, dismiss: w.dismissed };
  return el("article", { class: `alert ${ruling.points || ruling.stop_win ? "" : "minor"} ${decided || alert.withdrawn ? "done" : ""}`, id: `alert-${alert.key}` },
    el("header", {},
      el("h3", {}, (alert.title && alert.title[lang]) || alert.id),
      alert.seat === null || alert.seat === undefined ? null : el("strong", {}, `${w.seat} ${alert.seat} (${w.seats[alert.seat]})`),
      el("time", {}, clock(alert.t, start)), el("span", { class: "id" }, alert.id),
      gone ? el("span", { class: "tag bar" }, gone) : null),
    el("p", { class: "ruling" }, pick(lang, ordered.summary, ordered.summary_zh)),
    ruling.remedy ? el("p", { class: "clause" }, `${w.remedy}: ${pick(lang, ruling.remedy, ruling.remedy_zh)}`) : null,
    el("ul", { class: "facts" }, facts.filter(Boolean).map((fact) => el("li", {}, fact))),
    el("p", { class: "clause" }, `${alert.rule?.ruleset ?? ""} · ${alert.rule?.clause ?? ""}${alert.rule?.text ? ` — ${alert.rule.text}` : ""}`),
    until ? el("p", { class: "clause" }, `${w.until}: ${until}`) : null,
    pictures.length ? el("div", { class: "pictures" }, pictures) : null,
    decided
      ? el("div", { class: "actions" }, el("span", { class: "decided" }, `${state[decided.action]} · ${w.by} ${decided.by}${decided.reason ? ` · ${decided.reason}` : ""}`),
          act ? el("button", { type: "button", onclick: () => act(alert, "undo") }, w.undo) : null)
      : act && !alert.withdrawn ? el("div", { class: "actions" }, el("button", { type: "button", class: "main", onclick: () => act(alert, "accept") }, w.accept),
          el("button", { type: "button", onclick: () => act(alert, "change") }, w.change),
          el("button", { type: "button", onclick: () => act(alert, "dismiss") }, w.dismiss)) : null);
}

/** The clocks that run: the time left of each, red when it is over. */
export function timerChips(timers, now, w) {
  return (timers || []).map((one) => {
    const left = one.limit - (now - one.since);
    if (one.what !== "session" && left < -30) return null;
    const shown = one.what === "session" ? clock(Math.max(0, left), 0) : `${Math.max(0, left).toFixed(0)} s`;
    return el("li", { class: left < 0 ? "over" : null }, `${w.timer[one.what]} `, el("b", {}, shown));
  }).filter(Boolean);
}
