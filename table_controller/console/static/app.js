// The page: one WebSocket feed in, decisions out. It reconnects and catches up by itself.
import * as ask from "./ask.js";
import { handCard } from "./hand.js";
import { get, may, send, session, whoAmI } from "./net.js";
import { alertCard, clock, el, timerChips } from "./panels.js";
import { TableDrawing } from "./table.js";
import { sheetPanel, Timeline } from "./timeline.js";
import { WORDS } from "./words.js";

const $ = (id) => document.getElementById(id);
const keep = (key, value) => { try { value === undefined || localStorage.setItem(key, value); return localStorage.getItem(key); } catch { return null; } };

const state = { n: -1, table: {}, view: {}, game: {}, health: {}, alerts: new Map(), moves: [], hands: [], orders: [], crops: new Map(), start: null };
const drawing = new TableDrawing($("table"));
const PASSING = new Set(["view", "game", "health"]);
let lang = keep("lang") || (navigator.language.startsWith("zh") ? "zh" : navigator.language.startsWith("ja") ? "ja" : "en");
let sound = keep("sound") === "on";
let words = WORDS[lang];
let wait = 250, dirty = new Set(["all"]), past = false, shownTab = "alerts", viewAt = 0;

function take(message) {
  const body = message.body;
  if (message.type === "state") {
    Object.assign(state, { n: body.n, table: body.table, view: body.view, game: body.game, health: body.health, moves: body.moves, hands: body.hands, orders: body.orders, start: null });
    state.alerts = new Map(body.alerts.map((alert) => [alert.key, alert]));
    state.crops = new Map(body.crops.map((found) => [found.key, found]));
    drawing.setUp(state.table);
    viewAt = performance.now();
    dirty.add("all");
    if (body.game.check) select("hand");
    return;
  }
  if (message.n <= state.n && !PASSING.has(message.type)) return; // it was in the state already
  state.n = Math.max(state.n, message.n);
  const alter = (key, more) => { const alert = state.alerts.get(key); if (alert) state.alerts.set(key, { ...alert, ...more }); dirty.add("alerts"); };
  switch (message.type) {
    case "table": state.table = body; drawing.setUp(body); dirty.add("all"); break;
    case "view": state.view = body; viewAt = performance.now(); dirty.add("view"); break;
    case "game": if (body.check && !state.game.check) select("hand"); state.game = body; dirty.add("game").add("hand"); break;
    case "health": state.health = body; dirty.add("health"); break;
    case "alert": if (!state.alerts.has(body.key)) announce(body); state.alerts.set(body.key, body); dirty.add("alerts"); break;
    case "decision": alter(body.key, { decision: body.decision }); break;
    case "passed": alter(body.key, { passed: body.t }); break;
    case "move": state.moves.push(body); if (state.moves.length > 600) state.moves.shift(); dirty.add("moves"); break;
    case "hand": state.hands = state.hands.filter((hand) => hand.key !== body.key).concat(body); dirty.add("hand").add("session"); select("hand"); break;
    case "order": state.orders.push(body); dirty.add("hand").add("session").add("moves"); break;
    case "crops": state.crops.set(body.key, body); dirty.add("hand"); break;
    case "refold":
      Object.assign(state, { moves: body.moves, hands: body.hands });
      for (const [key, alert] of state.alerts) state.alerts.set(key, { ...alert, withdrawn: body.withdrawn.includes(key) });
      for (const part of ["alerts", "hand", "moves", "session"]) dirty.add(part);
      break;
  }
}

const title = (alert) => alert.title?.[lang] || alert.id;

function announce(alert) {
  $("live").textContent = `${words.new_alert}: ${title(alert)}`;
  if (!sound) return;
  navigator.vibrate?.(200);
  const audio = new AudioContext(), tone = audio.createOscillator(), gain = audio.createGain();
  tone.frequency.value = 880; gain.gain.setValueAtTime(.2, audio.currentTime); gain.gain.exponentialRampToValueAtTime(.001, audio.currentTime + .4);
  tone.connect(gain).connect(audio.destination); tone.start(); tone.stop(audio.currentTime + .4);
}

function connect() {
  const url = new URL(`/api/feed?after=${state.n}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  socket.onopen = () => { wait = 250; $("lost").hidden = true; };
  socket.onmessage = (event) => take(JSON.parse(event.data));
  socket.onclose = (event) => {
    $("lost").hidden = false;
    if (event.code === 4401) { location.replace("/"); return; }
    setTimeout(connect, wait);
    wait = Math.min(wait * 2, 5000);
  };
}

// -- what is decided ---------------------------------------------------------------------------

let saidTimer;
function say(text) {
  $("said").textContent = text;
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => { $("said").textContent = ""; }, 8000);
}

/** Send a change; where the server asks back, ask the person. */
async function change(path, body) {
  try {
    await send(path, body, () => { $("lost").hidden = false; });
    $("lost").hidden = true;
    return true;
  } catch (error) {
    if (error.insist && await ask.sure(words, error.message)) return change(path, { ...body, insist: true });
    if (!error.insist) say(error.message);
    return false;
  }
}

async function decide(alert, action) {
  const heading = `${words[action]}: ${title(alert)}`;
  const form = action === "dismiss" ? await ask.reason(words, heading) : action === "change" ? await ask.ruling(words, heading, alert.ruling || {}) : await ask.name(words, heading);
  if (form) await change(`/api/alerts/${alert.key}/decision`, { ...form, action, seen: alert.decision?.number ?? 0 });
}

const seen = () => ({ seen: state.orders.length });

async function fix(key, where, crop) {
  const form = await ask.otherTile(words, where.was, crop, state.table.ruleset?.startsWith("riichi"));
  if (form) await change(`/api/hands/${key}/tile`, { ...where, ...form, ...seen() });
}

async function confirmHand(key) {
  const form = await ask.name(words, words.confirm_hand);
  if (form) await change(`/api/hands/${key}/confirm`, { ...form, ...seen() });
}

async function undoOrder(order) {
  const form = await ask.name(words, words.undo);
  if (form) await change(`/api/orders/${order.number}/undo`, form);
}

async function correctStep(step) {
  const form = await ask.otherTile(words, step.happening.tile, null, state.table.ruleset?.startsWith("riichi"));
  if (form) await change("/api/corrections", { at: step.at, happening: { ...step.happening, tile: form.tile }, by: form.by, ...seen() });
}

async function strike(step) {
  const form = await ask.reason(words, words.strike);
  if (form) await change("/api/corrections", { ...form, at: step.at, happening: null, ...seen() });
}

async function enterOffence() {
  const form = await ask.offence(words, lang, await get("/api/offences"));
  if (form) await change("/api/offences", { ...form, ...seen() });
}

// -- drawing -----------------------------------------------------------------------------------

function started() {
  if (state.start === null) state.start = state.table.start ?? state.moves[0]?.t ?? state.view.t ?? null;
  return state.start ?? 0;
}

const now = () => (state.view.t ?? 0) + (performance.now() - viewAt) / 1000;

function drawHeader() {
  const { game, view } = state, parts = [];
  if (game.round_wind) parts.push(`${words.winds[game.round_wind]} ${words.round} · ${game.hand ?? ""}`);
  if (game.wall_left !== undefined && game.wall_left !== null) parts.push(`${words.wall} ${game.wall_left}`);
  if (state.table.ruleset) parts.push(state.table.ruleset);
  if (view.t) parts.push(clock(view.t, started()));
  $("where").textContent = parts.join("  ·  ");
  const calls = (game.calls || []).filter((call) => view.t === undefined || view.t - call.t < 8);
  $("seats").replaceChildren(...[0, 1, 2, 3].map((seat) => el("li", { class: game.turn === seat ? "turn" : null },
    `${words.seat} ${seat} (${words.seats[seat]}) ${game.winds?.[seat] ? words.winds[game.winds[seat]] : ""} `,
    el("b", {}, String(game.scores?.[seat] ?? 0)),
    game.dealer === seat ? ` · ${words.dealer}` : "", game.turn === seat ? ` · ${words.turn}` : "",
    calls.filter((call) => call.seat === seat).map((call) => el("span", { class: "call" }, ` ${words.calls[call.call] || call.call}`)),
    game.penalty_tiles?.[seat]?.length ? el("span", { class: "bar" }, ` · ${words.penalty_tile} ${game.penalty_tiles[seat].join(" ")}`) : null,
    game.stop_win?.[seat] ? el("span", { class: "bar" }, ` · ${words.stop_win}`) : null)));
}

function drawLamps() {
  const lamps = Object.entries(state.health.cameras || {}).map(([name, ok]) => [name, ok]);
  if (state.health.machine !== undefined && state.health.machine !== null) lamps.push([words.machine, state.health.machine]);
  const items = lamps.map(([name, ok]) => el("li", { class: ok ? "ok" : "bad" }, name, el("span", { class: "hidden" }, ok ? words.works : words.fails)));
  if (state.health.fps !== undefined) items.push(el("li", { class: "ok" }, `${state.health.fps.toFixed(1)} fps`));
  $("lamps").replaceChildren(...items);
}

function drawAlerts() {
  const all = [...state.alerts.values()].reverse();
  const open = all.filter((alert) => !alert.withdrawn && (!alert.decision || alert.decision.action === "undo")).length;
  $("open-count").textContent = open ? String(open) : "";
  document.title = `${open ? `(${open}) ` : ""}paiguan 牌官`;
  const act = may("decide") ? decide : null;
  $("alerts").replaceChildren(...(all.length ? all.map((alert) => alertCard(alert, words, lang, started(), act)) : [el("p", { class: "empty" }, words.no_alerts)]));
}

function drawHands() {
  const key = `hand-${String(state.hands.length + 1).padStart(3, "0")}`;
  const { check } = state.game;
  const under = check ? [{ key, hand: state.game.hand, round_wind: state.game.round_wind, under_check: true, wins: check.wins }] : [];
  const undone = new Set(state.orders.filter((order) => order.action === "undo").map((order) => order.of));
  const cards = [...under, ...[...state.hands].reverse()].map((hand) => {
    const closing = [...state.orders].reverse().find((order) => order.hand === hand.key && order.action !== "undo" && !undone.has(order.number));
    return handCard(hand, words, lang, state.crops.get(hand.key), {
      fix: may("correct") ? (where, crop) => fix(hand.key, where, crop) : null,
      confirm: may("confirm") ? () => confirmHand(hand.key) : null,
      undo: closing && may("correct") ? () => undoOrder(closing) : null,
    });
  });
  $("hand").replaceChildren(...(cards.length ? cards : [el("p", { class: "empty" }, words.no_hand)]));
}

let timeline = null, loading = false;
async function drawMoves() {
  timeline ??= new Timeline($("moves"), { show: showMoment, correct: may("correct") ? correctStep : null, strike: may("correct") ? strike : null, alertOf: (key) => state.alerts.get(key) });
  if (!may("see")) { timeline.take({ steps: state.moves.map((move, at) => ({ n: at + 1, at: null, t: move.t, happening: move, moves: [move] })), orders: [] }, words, started()); return; }
  if (loading) { setTimeout(() => dirty.add("moves"), 1000); return; }
  loading = true;
  try { timeline.take(await get("/api/timeline"), words, started()); } catch (error) { say(error.message); }
  setTimeout(() => { loading = false; }, 1500);
}

async function showMoment(at) {
  past = at !== null && may("see");
  $("past").hidden = !past;
  if (!past) { dirty.add("view"); return; }
  $("past-text").textContent = `${words.past} ${at}`;
  try {
    const body = await get(`/api/timeline/${at}`);
    if (past && timeline.at === at) drawing.show(body.view, `${words.past} ${at}`);
  } catch (error) { say(error.message); }
}

async function drawSession() {
  if (!may("see")) return;
  try {
    const sheet = await get("/api/sheet");
    const exports = !may("export") ? null : state.table.ruleset?.startsWith("mcr") ? ["botzone"] : ["mjai", "tenhou"];
    $("session").replaceChildren(...sheetPanel(sheet, state.orders, words, lang, started(), { undo: may("correct") ? undoOrder : null, exports, offence: may("enter") ? enterOffence : null }));
  } catch (error) { say(error.message); }
}

function label() {
  document.documentElement.lang = lang;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = words[node.dataset.t];
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", words[node.dataset.label]);
  $("who").textContent = `${words.role[session.role] ?? ""} · ${words.sign_out}`;
}

function draw() {
  requestAnimationFrame(draw);
  if (!dirty.size) return;
  const all = dirty.has("all"), due = dirty;
  dirty = new Set();
  if (all) label();
  if ((all || due.has("view")) && !past) drawing.show(state.view, words.table_now);
  if (all || due.has("view") || due.has("game")) drawHeader();
  if (all || due.has("health")) drawLamps();
  if (all || due.has("alerts")) drawAlerts();
  if (all || due.has("hand")) drawHands();
  if ((all || due.has("moves")) && shownTab === "moves") drawMoves();
  if ((all || due.has("session")) && shownTab === "session") drawSession();
}

function select(name) {
  shownTab = name;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const on = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
  }
  dirty.add(name);
}

const tabs = [...document.querySelectorAll("[role=tab]")];
for (const [index, tab] of tabs.entries()) {
  tab.addEventListener("click", () => select(tab.getAttribute("aria-controls")));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    select(next.getAttribute("aria-controls"));
    next.focus();
  });
}
$("lang").value = lang;
$("lang").addEventListener("change", () => { lang = $("lang").value; words = WORDS[lang]; keep("lang", lang); dirty.add("all"); });
$("sound").setAttribute("aria-pressed", String(sound));
$("sound").addEventListener("click", () => { sound = !sound; keep("sound", sound ? "on" : "off"); $("sound").setAttribute("aria-pressed", String(sound)); });
const dark = keep("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.documentElement.dataset.theme = dark;
$("theme").addEventListener("click", () => { const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; document.documentElement.dataset.theme = next; keep("theme", next); });
$("live-again").addEventListener("click", () => { timeline?.go(null); showMoment(null); });
$("who").addEventListener("click", async () => { await fetch("/api/session", { method: "DELETE", headers: { "X-CSRF-Token": session.csrf } }); location.replace("/"); });
setInterval(() => $("timers").replaceChildren(...timerChips(state.game.timers, now(), words)), 500);
await whoAmI();
if (!may("see")) { $("tab-alerts").hidden = true; $("tab-session").hidden = true; select("moves"); }
connect();
draw();
