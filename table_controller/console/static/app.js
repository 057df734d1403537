// The referee's page: one WebSocket feed in, decisions out. It reconnects and catches up by itself.
import { TableDrawing } from "./table.js";
import { WORDS } from "./words.js";
import { alertCard, clock, el, handCard, moveRow } from "./panels.js";

const $ = (id) => document.getElementById(id);
const keep = (key, value) => { try { value === undefined || localStorage.setItem(key, value); return localStorage.getItem(key); } catch { return null; } };

const state = { n: -1, table: {}, view: {}, game: {}, health: {}, alerts: new Map(), moves: [], hands: [], start: null };
const drawing = new TableDrawing($("table"));
let lang = keep("lang") || (navigator.language.startsWith("zh") ? "zh" : navigator.language.startsWith("ja") ? "ja" : "en");
let sound = keep("sound") === "on";
let words = WORDS[lang];
let socket = null, wait = 250, dirty = new Set(["all"]);

function take(message) {
  if (message.type === "state") {
    const body = message.body;
    Object.assign(state, { n: body.n, table: body.table, view: body.view, game: body.game, health: body.health, moves: body.moves, hands: body.hands });
    state.alerts = new Map(body.alerts.map((alert) => [alert.key, alert]));
    drawing.setUp(state.table);
    dirty.add("all");
    return;
  }
  state.n = message.n;
  const body = message.body;
  switch (message.type) {
    case "table": state.table = body; drawing.setUp(body); dirty.add("all"); break;
    case "view": state.view = body; dirty.add("view"); break;
    case "game": state.game = body; dirty.add("game"); break;
    case "health": state.health = body; dirty.add("health"); break;
    case "alert": if (!state.alerts.has(body.key)) announce(body); state.alerts.set(body.key, body); dirty.add("alerts"); break;
    case "decision": { const alert = state.alerts.get(body.key); if (alert) state.alerts.set(body.key, { ...alert, decision: body.decision }); dirty.add("alerts"); break; }
    case "move": state.moves.push(body); if (state.moves.length > 600) state.moves.shift(); dirty.add("moves"); break;
    case "hand": state.hands = state.hands.filter((hand) => hand.key !== body.key).concat(body); dirty.add("hand"); select("hand"); break;
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
  socket = new WebSocket(url);
  socket.onopen = () => { wait = 250; $("lost").hidden = true; };
  socket.onmessage = (event) => take(JSON.parse(event.data));
  socket.onclose = (event) => {
    $("lost").hidden = false;
    if (event.code === 4401) { location.reload(); return; }
    setTimeout(connect, wait);
    wait = Math.min(wait * 2, 5000);
  };
}

function started() {
  if (state.start === null) state.start = state.table.start ?? state.moves[0]?.t ?? state.view.t ?? null;
  return state.start ?? 0;
}

function drawHeader() {
  const { game, view } = state;
  const parts = [];
  if (game.round_wind) parts.push(`${words.winds[game.round_wind]} ${words.round} · ${game.hand ?? ""}`);
  if (game.wall_left !== undefined && game.wall_left !== null) parts.push(`${words.wall} ${game.wall_left}`);
  if (state.table.ruleset) parts.push(state.table.ruleset);
  if (view.t) parts.push(clock(view.t, started()));
  $("where").textContent = parts.join("  ·  ");
  $("seats").replaceChildren(...[0, 1, 2, 3].map((seat) => el("li", { class: game.turn === seat ? "turn" : null },
    `${words.seat} ${seat} (${words.seats[seat]}) ${game.winds ? words.winds[game.winds[seat]] : ""} `,
    el("b", {}, String(game.scores?.[seat] ?? 0)),
    game.dealer === seat ? ` · ${words.dealer}` : "", game.turn === seat ? ` · ${words.turn}` : "",
    game.stop_win?.[seat] ? el("span", { class: "bar" }, ` · ${words.stop_win}`) : null)));
}

function drawLamps() {
  const lamps = [];
  for (const [name, ok] of Object.entries(state.health.cameras || {})) lamps.push(el("li", { class: ok ? "ok" : "bad" }, name));
  if (state.health.machine !== undefined) lamps.push(el("li", { class: state.health.machine ? "ok" : "bad" }, words.machine));
  if (state.health.fps !== undefined) lamps.push(el("li", { class: "ok" }, `${state.health.fps.toFixed(1)} fps`));
  $("lamps").replaceChildren(...lamps);
}

function drawAlerts() {
  const all = [...state.alerts.values()].reverse();
  const open = all.filter((alert) => !alert.decision || alert.decision.action === "undo").length;
  $("open-count").textContent = open ? String(open) : "";
  document.title = `${open ? `(${open}) ` : ""}paiguan 牌官`;
  $("alerts").replaceChildren(...(all.length ? all.map((alert) => alertCard(alert, words, lang, started(), decide)) : [el("p", { class: "empty" }, words.no_alerts)]));
}

function draw() {
  requestAnimationFrame(draw);
  if (!dirty.size) return;
  const all = dirty.has("all"), due = dirty;
  dirty = new Set();
  if (all) {
    document.documentElement.lang = lang;
    for (const node of document.querySelectorAll("[data-t]")) node.textContent = words[node.dataset.t];
  }
  if (all || due.has("view")) drawing.show(state.view, words.table);
  if (all || due.has("view") || due.has("game")) drawHeader();
  if (all || due.has("health")) drawLamps();
  if (all || due.has("alerts")) drawAlerts();
  if (all || due.has("hand")) $("hand").replaceChildren(...(state.hands.length ? [...state.hands].reverse().map((hand) => handCard(hand, words, lang)) : [el("p", { class: "empty" }, words.no_hand)]));
  if (all || due.has("moves")) $("moves").replaceChildren(state.moves.length ? el("ol", { class: "moves", reversed: true }, [...state.moves].reverse().map((move) => moveRow(move, words, started()))) : el("p", { class: "empty" }, words.no_moves));
}

function decide(alert, action) {
  const dialog = $("ask");
  $("ask-title").textContent = `${words[action]}: ${title(alert)}`;
  $("by").value = keep("by") || "";
  $("by").required = true;
  $("reason").value = "";
  $("reason").required = action === "dismiss";
  dialog.returnValue = "";
  dialog.onclose = async () => {
    if (dialog.returnValue !== "ok") return;
    keep("by", $("by").value);
    const body = { action, by: $("by").value, reason: $("reason").value, seen: alert.decision?.number ?? 0 };
    const answer = await fetch(`/api/alerts/${encodeURIComponent(alert.key)}/decision`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).catch(() => null);
    if (!answer?.ok) $("live").textContent = answer ? (await answer.json()).detail : words.lost;
    if (!answer?.ok) window.alert($("live").textContent);
  };
  dialog.showModal();
}

function select(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const on = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
  }
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
connect();
draw();
