// The alerts: what happened, what the rules say, and what the referee makes of it.
import { clock, el, picture, tile } from "./dom.js";
import { fill } from "./words.js";

const pick = (lang, en, zh) => (lang === "en" ? en || zh : zh || en) || "";

/** How grave a ruling is: what it costs says it. */
export function severity(ruling) {
  if (ruling.points || ruling.stop_win || ruling.void || ruling.disqualify || ruling.shares || ruling.warning_deduction) return "serious";
  return ruling.warning || ruling.penalty_tile ? "caution" : "notice";
}

function facts(alert, ordered, w) {
  const paid = (ordered.payments || []).map((payment) => payment.points), alike = paid.every((points) => points === paid[0]);
  const shares = paid.length > 1 ? ` (${alike ? `${paid.length} × ${paid[0]}` : paid.join(" + ")})` : "";
  return [
    ordered.points ? `−${Math.abs(ordered.points)} ${w.points}${shares}` : null,
    ordered.stop_win ? w.stop_win : null,
    ordered.play_along ? w.play_along : null,
    ordered.warning ? w.warning : null,
    ordered.warning_number ? fill(w.warning_number, { n: ordered.warning_number }) : null,
    ordered.warning_deduction ? fill(w.deduction, { n: ordered.warning_deduction }) : null,
    ordered.penalty_tile ? `${w.penalty_tile} ${ordered.penalty_tile}` : null,
    ordered.disqualify ? w.disqualified : null,
    ordered.void ? w.void_hand : null,
    alert.stage ? w.stage[alert.stage] || alert.stage : null,
    alert.count ? fill(w.nth, { n: alert.count }) : null,
    `${w.confidence} ${Math.round((alert.confidence ?? 1) * 100)}%`,
  ].filter(Boolean);
}

/** The faces that it is about: those of the last thing seen that shows any. */
function faces(alert) {
  const shown = (alert.evidence?.happenings || []).map((h) => (h.tiles || [h.tile]).filter((face) => face && face !== "?" && face !== "back"));
  const last = shown.filter((some) => some.length).pop();
  return last ? el("p", { class: "indicators" }, last.map((face) => tile(face))) : null;
}

function evidence(alert, w) {
  const file = (end) => (alert.files || []).find((name) => name.endsWith(end));
  const shown = [];
  for (const [end, name] of [["before.jpg", w.before], ["after.jpg", w.after]])
    if (file(end)) shown.push(el("figure", {}, picture(`/evidence/${file(end)}`, `${alert.id}: ${name}`, w), el("figcaption", {}, name)));
  const clip = file(".mp4") || file(".webm");
  if (clip) shown.push(el("figure", { class: "wide" }, el("video", { src: `/evidence/${clip}`, controls: true, muted: true, playsinline: true, preload: "metadata", "aria-label": w.clip }), el("figcaption", {}, w.clip)));
  return shown.length ? el("div", { class: "pictures" }, shown) : null;
}

/**
 * One alert. `act(alert, action)` decides, null for those who may not; `protests` are those that
 * stand about it.
 */
export function alertCard(alert, w, lang, start, act, protests = []) {
  const ruling = alert.ruling || {};
  const decided = alert.decision && alert.decision.action !== "undo" ? alert.decision : null;
  const ordered = decided?.ruling || ruling;
  const grave = severity(ordered);
  const until = w.windows[ruling.window] || ruling.until_text || (ruling.until ? clock(ruling.until, start) : null);
  const gone = alert.withdrawn ? w.withdrawn : alert.passed ? w.passed : null;
  const state = { accept: w.accepted, change: w.changed, dismiss: w.dismissed };
  const button = (action, label, cls) => el("button", { type: "button", class: cls, onclick: () => act(alert, action) }, label);
  return el("article", { class: `alert ${grave} ${decided || alert.withdrawn ? "done" : ""}`, id: `alert-${alert.key}` },
    el("header", {},
      el("span", { class: `grave ${grave}` }, w.severity[grave]),
      el("h3", {}, alert.title?.[lang] || alert.id),
      alert.seat === null || alert.seat === undefined ? null : el("strong", {}, `${w.seat} ${alert.seat} (${w.seats[alert.seat]})`),
      el("time", {}, clock(alert.t, start)), el("span", { class: "id" }, alert.id),
      gone ? el("span", { class: "tag bar" }, gone) : null,
      protests.length ? el("span", { class: "tag bar" }, w.protested) : null),
    el("p", { class: "ruling" }, pick(lang, ordered.summary, ordered.summary_zh)),
    ruling.remedy ? el("p", { class: "clause" }, `${w.remedy}: ${pick(lang, ruling.remedy, ruling.remedy_zh)}`) : null,
    faces(alert),
    el("ul", { class: "facts" }, facts(alert, ordered, w).map((fact) => el("li", {}, fact))),
    el("p", { class: "clause" }, `${alert.rule?.ruleset ?? ""} · ${alert.rule?.clause ?? ""}${alert.rule?.text ? ` — ${alert.rule.text}` : ""}`),
    until ? el("p", { class: "clause" }, `${w.until}: ${until}`) : null,
    evidence(alert, w),
    decided ? el("p", { class: "decided" }, `${state[decided.action]} · ${w.by} ${decided.by}${decided.reason ? ` · ${decided.reason}` : ""}`) : null,
    protests.map((one) => el("p", { class: "decided bar" }, `${w.protest}: ${one.reason} · ${one.by}`)),
    act && !alert.withdrawn ? el("div", { class: "actions" },
      decided ? button("undo", w.undo) : [button("accept", w.accept, "main"), button("change", w.change), button("dismiss", w.dismiss)],
      protests.length ? button("lift", w.lift, "quiet") : button("protest", w.protest, "quiet")) : null);
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

/** Seats that called for the referee and were not answered. */
export function callBars(calls, w, start, answer) {
  return calls.filter((call) => !call.answered).map((call) => [call.key, call, () => el("div", { class: "callbar", role: "alert" },
    el("strong", {}, `${w.seat} ${call.seat} (${w.seats[call.seat]}) ${w.call_title}`), el("time", {}, clock(call.t, start)),
    answer ? el("button", { type: "button", class: "main", onclick: () => answer(call) }, w.call_seen) : null)]);
}

/** What the hall orders and what waits for the hand to end; `consent(order, yes)` answers it. */
export function askedBars(asked, w, consent) {
  return asked.map((one) => [`asked-${one.order}`, one, () => el("div", { class: "callbar asked", role: "alert" },
    el("strong", {}, `${w.hall_orders}: ${w.hall_order[one.kind] || one.kind}${one.what ? ` ${one.what}` : ""}`), el("span", {}, `${one.by} · ${w.after_this_hand}`),
    consent && one.may ? [el("button", { type: "button", class: "main", onclick: () => consent(one, true) }, w.let_in[one.kind] || w.let_in.now), el("button", { type: "button", class: "main", onclick: () => consent(one, false) }, w.refuse)] : null)]);
}

const MOVING = ["hatch_open", "shuffling", "raising"];

/** What the next wall waits for, or what the machine does meanwhile, and the referee's orders about it. */
export function wallStrip(machine, w, order) {
  const { stage, phase, held } = machine ?? {}, rests = ["none", "done"].includes(stage), fault = phase === "fault";
  if (!stage || rests && !held && !fault && !MOVING.includes(phase)) return [];
  const why = machine.why.map((one) => fill(w.why[one.code] || one.code, one));
  const title = rests ? [w.machine, w.phase[phase]].filter(Boolean).join(": ") : `${w.wall_title}: ${w.wall_stage[stage]}`;
  const button = (action, label) => el("button", { type: "button", onclick: () => order(action) }, label);
  return [["wall", machine, () => el("div", { class: `wallbar ${why.length ? "waits" : ""}` },
    el("strong", {}, title), why.length ? el("span", {}, why.join(" · ")) : null,
    order ? el("span", { class: "actions" },
      fault ? button("clear_fault", w.clear_fault) : stage === "held" && !held ? button("next_wall", w.order_wall) : null,
      held ? button("release", w.release) : button("hold", w.hold)) : null)]];
}

/** The end of the session is near, or has come. */
export function noticeBar(session, now, w) {
  if (!session?.ends) return null;
  if (session.over || now >= session.ends) return w.time_over;
  return session.notice !== null && now >= session.notice ? fill(w.notice, { n: Math.max(1, Math.ceil((session.ends - now) / 60)) }) : null;
}
export { clock, el, tile } from "./dom.js";
