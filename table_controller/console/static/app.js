// The page: one WebSocket feed in, decisions out. It reconnects and catches up by itself.
import * as act from "./acts.js";
import { clock, el, keep, keyed } from "./dom.js";
import { handCard } from "./hand.js";
import { get, may, pending, session, whoAmI } from "./net.js";
import { alertCard, askedBars, callBars, noticeBar, timerChips, wallStrip } from "./panels.js";
import { sessionPanel } from "./session.js";
import { isOpen, State } from "./state.js";
import { TableDrawing } from "./table.js";
import { Timeline } from "./timeline.js";
import { fill, WORDS } from "./words.js";

const $ = (id) => document.getElementById(id);
const state = new State(), drawing = new TableDrawing($("table"));
let lang = keep("lang") || (navigator.language.startsWith("zh") ? "zh" : navigator.language.startsWith("ja") ? "ja" : "en");
let sound = keep("sound") === "on", words = WORDS[lang];
let wait = 250, past = false, shownTab = "alerts", noticed = "";
const ticked = new Map();

state.onTable = () => drawing.setUp(state.table);
state.onHand = () => select("hand");
state.onAlert = (alert) => announce(`${words.new_alert}: ${alert.title?.[lang] || alert.id}`);
state.onAsked = (one) => announce(`${words.hall_orders}: ${words.hall_order[one.kind] || one.kind}`);
state.onCall = (call) => announce(`${words.seat} ${call.seat} ${words.call_title}`);

let audio = null;
/** A page may sound only once it was touched; what put it to sleep since is undone with the next touch. */
function wake() {
  if (sound) (audio ??= new AudioContext()).resume().catch(() => {});
}

const said = [];
/** What comes in one go, as after a cut, is read out together and sounds once. */
function announce(text) {
  if (said.push(text) === 1) setTimeout(speak, 20);
}

function speak() {
  $("live").textContent = said.splice(0).join(". ");
  if (!sound) return;
  navigator.vibrate?.(200);
  wake();
  if (audio.state !== "running") return;
  const tone = audio.createOscillator(), gain = audio.createGain();
  tone.frequency.value = 880; gain.gain.setValueAtTime(.2, audio.currentTime); gain.gain.exponentialRampToValueAtTime(.001, audio.currentTime + .4);
  tone.connect(gain).connect(audio.destination); tone.start(); tone.stop(audio.currentTime + .4);
}

function connect() {
  const url = new URL(`/api/feed?after=${state.n}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  socket.onopen = () => { wait = 250; $("lost").hidden = true; };
  socket.onmessage = (event) => state.take(JSON.parse(event.data));
  socket.onclose = (event) => {
    if (event.code === 4401) { location.replace("/"); return; }
    $("lost").hidden = false;
    setTimeout(connect, wait);
    wait = Math.min(wait * 2, 5000);
  };
}

// -- drawing -----------------------------------------------------------------------------------

function drawHeader() {
  const { game, view } = state, parts = [];
  if (game.round_wind) parts.push(`${words.winds[game.round_wind]} ${words.round} · ${game.hand ?? ""}`);
  if (game.honba || game.sticks) parts.push(`${words.situation.honba} ${game.honba} · ${words.situation.sticks} ${game.sticks}`);
  if (game.wall_left !== undefined && game.wall_left !== null) parts.push(`${words.wall} ${game.wall_left}`);
  if (state.table.ruleset) parts.push(state.table.ruleset);
  if (view.t) parts.push(clock(view.t, state.started()));
  $("where").textContent = parts.join("  ·  ");
  const calls = (game.calls || []).filter((call) => view.t === undefined || view.t - call.t < 8);
  keyed($("seats"), [0, 1, 2, 3].map((seat) => {
    const mine = calls.filter((call) => call.seat === seat), turn = game.turn === seat, score = String(game.scores?.[seat] ?? 0);
    const shows = [lang, game.winds?.[seat], score, game.dealer === seat, turn, mine, game.penalty_tiles?.[seat], game.stop_win?.[seat], game.riichi?.[seat]];
    return [String(seat), shows, () => el("li", { class: turn ? "turn" : null },
      `${words.seat} ${seat} (${words.seats[seat]}) ${game.winds?.[seat] ? words.winds[game.winds[seat]] : ""} `, el("b", {}, score),
      game.dealer === seat ? ` · ${words.dealer}` : "", turn ? ` · ${words.turn}` : "", game.riichi?.[seat] ? ` · ${words.calls.riichi}` : "",
      mine.map((call) => el("span", { class: "call" }, ` ${words.calls[call.call] || call.call}`)),
      game.penalty_tiles?.[seat]?.length ? el("span", { class: "bar" }, ` · ${words.penalty_tile} ${game.penalty_tiles[seat].join(" ")}`) : null,
      game.stop_win?.[seat] ? el("span", { class: "bar" }, ` · ${words.stop_win}`) : null)];
  }));
}

function drawLamps() {
  const { health } = state, lamps = Object.entries(health.cameras || {});
  if (health.machine !== undefined && health.machine !== null) lamps.push([health.phase ? `${words.machine}: ${words.phase[health.phase] || health.phase}` : words.machine, health.machine && health.phase !== "fault"]);
  if (health.journal === false) lamps.push([words.journal_full, false]);
  const items = lamps.map(([name, ok]) => [name, [lang, ok], () => el("li", { class: ok ? "ok" : "bad" }, name, el("span", { class: "hidden" }, ok ? words.works : words.fails))]);
  if (health.fps !== undefined) items.push(["fps", health.fps.toFixed(1), () => el("li", { class: "ok" }, `${health.fps.toFixed(1)} fps`)]);
  keyed($("lamps"), items);
}

function drawAlerts() {
  const all = [...state.alerts.values()].reverse(), start = state.started();
  const open = all.filter(isOpen).length;
  $("open-count").textContent = open ? String(open) : "";
  document.title = `${open ? `(${open}) ` : ""}paiguan 牌官`;
  const decide = may("decide") ? acts.alert : null;
  keyed($("alerts"), all.length ? all.map((alert) => {
    const protests = state.protested(alert.key);
    return [alert.key, [lang, alert, start, protests], () => alertCard(alert, words, lang, start, decide, protests)];
  }) : [["none", lang, () => el("p", { class: "empty" }, words.no_alerts)]]);
}

function drawHands() {
  const { check } = state.game, key = `hand-${String(state.hands.length + 1).padStart(3, "0")}`;
  const ends = check?.at_the_end ? { result: "exhausted" } : { under_check: true };
  const under = check ? [{ key, hand: state.game.hand, round_wind: state.game.round_wind, ...ends, wins: check.wins, payments: check.payments }] : [];
  const undone = new Set(state.orders.filter((order) => order.action === "undo").map((order) => order.of));
  const cards = [...under, ...[...state.hands].reverse()].map((hand) => {
    const closing = [...state.orders].reverse().find((order) => order.hand === hand.key && order.action !== "undo" && !undone.has(order.number));
    const protests = state.protested(hand.key), found = state.pictured(hand), done = ticked.get(hand.key) || new Set();
    return [hand.key, [lang, hand, closing?.number, protests, found, [...done]], () => handCard(hand, words, lang, found, state.family(), {
      fix: may("correct") ? (where, crop) => acts.fix(hand.key, where, crop) : null,
      confirm: may("confirm") ? (steps) => acts.confirm(hand.key, steps) : null,
      undo: closing && may("correct") ? () => acts.undo(closing) : null,
      protest: may("decide") ? () => acts.protest(hand.key, null, hand.key) : null,
      lift: may("decide") ? acts.lift : null, protests, ticked: done,
      tick: (step) => { const now = new Set(done); if (!now.delete(step)) now.add(step); ticked.set(hand.key, now); state.dirty.add("hand"); },
    })];
  });
  keyed($("hand"), cards.length ? cards : [["none", lang, () => el("p", { class: "empty" }, words.no_hand)]]);
}

function drawBars() {
  const bars = [...callBars(state.calls, words, state.started(), may("decide") ? acts.answer : null), ...(may("see") ? askedBars(state.asked, words, may("decide") ? acts.consent : null) : [])];
  keyed($("calls"), bars.map(([key, shows, build]) => [key, [lang, shows], build]));
  keyed($("wallbar"), may("see") ? wallStrip(state.machine, words, may("decide") ? acts.machine : null).map(([key, shows, build]) => [key, [lang, shows], build]) : []);
}

let timeline = null, loading = false;
async function drawMoves() {
  timeline ??= new Timeline($("moves"), { show: showMoment, correct: may("correct") ? acts.correctStep : null, strike: may("correct") ? acts.strike : null, alertOf: (key) => state.alerts.get(key) });
  if (!may("see")) { timeline.take({ steps: state.moves.map((move, at) => ({ n: at + 1, at, t: move.t, happening: { ...move, kind: move.move }, moves: [move] })), orders: [] }, 0, words, lang, state.started()); return; }
  if (loading) { setTimeout(() => state.dirty.add("moves"), 1000); return; }
  loading = true;
  const seen = state.orders.length; // what is ordered while it is fetched may be missing in it
  try { timeline.take(await get("/api/timeline"), seen, words, lang, state.started()); } catch (error) { acts.say(error); }
  setTimeout(() => { loading = false; }, 1500);
}

async function showMoment(at) {
  past = at !== null && may("see");
  $("past").hidden = !past;
  if (!past) { state.dirty.add("view"); return; }
  $("past-text").textContent = `${words.past} ${at}`;
  try {
    const body = await get(`/api/timeline/${at}`);
    if (past && timeline.at === at) drawing.show(body.view, `${words.past} ${at}`);
  } catch (error) { acts.say(error); }
}

async function drawSession() {
  if (!may("see")) return;
  try {
    const [sheet, log] = await Promise.all([get("/api/sheet"), may("audit") ? get("/api/audit") : []]);
    const exports = !may("export") ? null : state.family() === "mcr" ? ["botzone"] : ["mjai", "tenhou"];
    const open = $("session").querySelector("details")?.open;
    $("session").replaceChildren(...sessionPanel(sheet, state.orders, log, words, state.started(), { undo: may("correct") ? acts.undo : null, lift: may("decide") ? acts.lift : null, exports, offence: may("enter") ? acts.offence : null }));
    if (open) $("session").querySelector("details").open = true;
  } catch (error) { acts.say(error); }
}

function label() {
  document.documentElement.lang = lang;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = words[node.dataset.t];
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", words[node.dataset.label]);
  $("who").textContent = `${words.role[session.role] ?? ""} · ${words.sign_out}`;
}

function draw() {
  requestAnimationFrame(draw);
  if (!state.dirty.size) return;
  const due = state.dirty, all = due.has("all");
  state.dirty = new Set();
  if (all) label();
  if ((all || due.has("view")) && !past) drawing.show(state.view, words.table_now);
  if (all || due.has("view") || due.has("game")) drawHeader();
  if (all || due.has("health")) drawLamps();
  if (all || due.has("calls") || due.has("machine")) drawBars();
  if (all || due.has("alerts")) drawAlerts();
  if (all || due.has("hand")) drawHands();
  if ((all || due.has("moves")) && shownTab === "moves") drawMoves();
  if ((all || due.has("session")) && shownTab === "session") drawSession();
}

function tickTimers() {
  const now = state.now();
  $("timers").replaceChildren(...timerChips(state.game.timers, now, words));
  const text = may("see") ? noticeBar(state.game.session, now, words) : null;
  $("notice").hidden = !text;
  if (text && $("notice").textContent !== text) $("notice").textContent = text;
  const kind = text === null ? "" : text === words.time_over ? "over" : "near";
  if (kind && kind !== noticed) announce(text);
  noticed = kind;
}

function select(name) {
  shownTab = name;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const on = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
  }
  state.dirty.add(name);
}

const acts = act.acts(state, () => words, () => lang);
const tabs = [...document.querySelectorAll("[role=tab]")];
for (const tab of tabs) {
  tab.addEventListener("click", () => select(tab.getAttribute("aria-controls")));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const open = tabs.filter((one) => !one.hidden);
    const next = open[(open.indexOf(tab) + step + open.length) % open.length];
    select(next.getAttribute("aria-controls"));
    next.focus();
  });
}
$("lang").value = lang;
$("lang").addEventListener("change", () => { lang = $("lang").value; words = WORDS[lang]; keep("lang", lang); state.dirty.add("all"); });
$("sound").setAttribute("aria-pressed", String(sound));
$("sound").addEventListener("click", () => { sound = !sound; keep("sound", sound ? "on" : "off"); $("sound").setAttribute("aria-pressed", String(sound)); wake(); });
for (const touch of ["pointerup", "keydown"]) document.addEventListener(touch, wake);
wake();
const dark = keep("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
document.documentElement.dataset.theme = dark;
$("theme").addEventListener("click", () => { const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; document.documentElement.dataset.theme = next; keep("theme", next); });
$("live-again").addEventListener("click", () => { timeline?.go(null); showMoment(null); });
$("who").addEventListener("click", async () => { await fetch("/api/session", { method: "DELETE", headers: { "X-CSRF-Token": session.csrf } }); location.replace("/"); });
setInterval(tickTimers, 500);
await whoAmI();
if (!may("see")) { for (const id of ["tab-alerts", "tab-session"]) $(id).hidden = true; select("moves"); }
connect();
draw();
if (pending()) acts.resend();
