// The hall's page: one feed in, claims, decisions and orders out.
import * as ask from "/static/ask.js";
import { el, keep, keyed } from "/static/dom.js";
import { may, send, session, whoAmI } from "/static/net.js";
import { WORDS } from "/static/words.js";
import { modelsPanel } from "./models.js";
import { board, logPanel, orderPanel, queueItems, roundPanel, searchPanel, standingsPanel, tableCard, troubles } from "./parts.js";
import { reason, WHY } from "./reasons.js";
import { HALL } from "./words.js";

const $ = (id) => document.getElementById(id);
const state = { tables: {}, alerts: {}, calls: {}, orders: {}, chains: {}, rounds: [], incidents: [], venue: {}, board: null };
const PARTS = new Set(["tables", "alerts", "calls", "orders", "chains"]);
let lang = keep("lang") || (navigator.language.startsWith("zh") ? "zh" : navigator.language.startsWith("ja") ? "ja" : "en");
const own = () => ({ ...HALL[lang], why: WHY[lang] });
let h = own(), w = WORDS[lang], wait = 250, shown = "queue", mine = new Set(JSON.parse(keep("claims") || "[]"));
const dirty = new Set(["all"]);

function take(message) {
  if (message.type === "state") { for (const part of [...PARTS, "rounds", "incidents", "venue", "board"]) state[part] = message.body[part] ?? (PARTS.has(part) ? {} : state[part]); dirty.add("all"); return; }
  if (message.type === "fact") { Object.assign(state, message.body); for (const name of Object.keys(message.body)) dirty.add(name); return; }
  const part = state[message.type];
  for (const [key, body] of Object.entries(message.body)) {
    if (message.type === "alerts" && body && !part[key] && !body.decision) $("live").textContent = `${body.table}: ${body.title?.[lang] || body.id}`;
    if (body === null) delete part[key]; else part[key] = body;
    if (message.type === "orders" && body?.kind === "evidence" && body.state === "done") dirty.add("alerts");
  }
  dirty.add(message.type);
}

function connect() {
  const url = new URL("/api/feed", location.href);
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

let saidTimer;
function say(text) {
  $("said").textContent = text;
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => { $("said").textContent = ""; }, 8000);
}

/** Send a change, signed; what is refused is said. The answer, or null. */
async function change(path, body = {}) {
  const form = body.by ? body : { ...await ask.name(w, h.by) ?? {}, ...body };
  delete form.reason;
  if (body.reason !== undefined) form.reason = body.reason;
  if (!form.by) return null;
  try {
    const answer = await send(path, form, () => { $("lost").hidden = false; });
    $("lost").hidden = true;
    return answer;
  } catch (error) { say(reason(error, h, w)); return null; }
}

const acts = {
  say, change, refused: (error) => say(reason(error, h, w)), mine: (what) => mine.has(what),
  async claim(one) { if (await change(`/api/claims/${one.chain}/${one.what}`)) remember(one, true); },
  async release(one) { if (await change(`/api/claims/${one.chain}/${one.what}/release`)) remember(one, false); },
  async answer(one) { if (await change(`/api/calls/${one.chain}/${one.seq}/answer`)) remember(one, false); },
  pictures: (alert) => change(`/api/alerts/${alert.chain}/${alert.key}/evidence`),
  async decide(alert, action) {
    const heading = `${alert.table} · ${alert.title?.[lang] || alert.id}`;
    const form = action === "dismiss" ? await ask.reason(w, heading) : action === "change" ? await ask.ruling(w, heading, alert.ruling || {}) : await ask.name(w, heading);
    if (form) await change(`/api/alerts/${alert.chain}/${alert.key}/decision`, { ...form, action, seen: alert.decision?.number ?? 0 });
  },
};

function remember(one, on) {
  if (on) mine.add(`${one.chain}-${one.what}`); else mine.delete(`${one.chain}-${one.what}`);
  keep("claims", JSON.stringify([...mine]));
  dirty.add("alerts");
}

acts.may_update = false;
const runs = () => ["referee", "organiser"].includes(session.role);

const draws = {
  map() {
    const names = Object.keys(state.tables).sort(new Intl.Collator(undefined, { numeric: true }).compare);
    const running = state.rounds.find((one) => one.state === "running");
    keyed($("tables"), names.map((name) => [name, [state.tables[name], running?.seats?.[name], running?.hands?.[name], lang], () => tableCard(state.tables[name], running, h, w)]));
    const all = Object.values(state.tables);
    const open = openItems().length;
    $("sums").replaceChildren(...[[h.heard, all.filter((one) => !one.silent).length], [h.silent, all.filter((one) => one.silent).length], [h.playing, all.filter((one) => one.state === "playing" && !one.silent).length], [h.open, open]]
      .map(([label, n]) => el("li", { class: (label === h.silent || label === h.open) && n ? "bad" : "ok" }, `${n} ${label}`)));
    $("open-count").textContent = open ? String(open) : "";
    document.title = `${open ? `(${open}) ` : ""}${state.venue.name || "paiguan"} 牌官`;
    $("venue").textContent = state.venue.name || "paiguan";
    $("trouble").replaceChildren(...troubles(state, h, runs() ? acts : null));
  },
  queue() { keyed($("queue"), queueItems(state, h, w, lang, may("decide") ? acts : null)); },
  round() { roundPanel($("round"), state, h, runs() ? acts : null); },
  standings() { standingsPanel($("standings"), h, acts); },
  search() { searchPanel($("search"), h, w, lang, acts); },
  models() { modelsPanel($("models"), h, w, acts); },
  orders() {
    const typing = $("orders").contains(document.activeElement) ? document.activeElement : null;
    $("orders").replaceChildren(...orderPanel(state, h, w, runs() ? acts : null), ...logPanel(state, h, w));
    if (typing?.isConnected) typing.focus();
  },
  board() { if (state.board) board($("public"), state.board, h); },
};
const NEEDS = { queue: ["alerts", "calls"], round: ["rounds"], standings: ["rounds"], search: [], models: ["orders", "tables"], orders: ["orders", "incidents"] };

const openItems = () => [...Object.values(state.alerts).filter((one) => !one.decision), ...Object.values(state.calls)];

function label() {
  document.documentElement.lang = lang;
  const words = { ...w, ...h };
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = words[node.dataset.t];
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", words[node.dataset.label]);
  $("who").textContent = `${w.role[session.role] ?? ""} · ${h.sign_out}`;
}

function clockLine() {
  const running = state.rounds.find((one) => one.state === "running");
  if (!running) { $("where").textContent = ""; return; }
  const left = running.ends ? Math.max(0, Math.round(running.ends - Date.now() / 1000)) : null;
  $("where").textContent = `${h.round} ${running.number}${left === null ? "" : ` · ${h.left} ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`}`;
}

function draw() {
  setTimeout(draw, 120);
  if (!dirty.size) return;
  const due = new Set(dirty), all = due.has("all");
  dirty.clear();
  if (all) label();
  if (!may("see")) { draws.board(); return; }
  if (all || ["tables", "rounds", "chains", "venue", "alerts", "calls"].some((one) => due.has(one))) draws.map();
  if (all || due.has("tab") || NEEDS[shown].some((one) => due.has(one))) draws[shown]();
}

const tabs = [...document.querySelectorAll("[role=tab]")];
function select(name) {
  shown = name;
  for (const tab of tabs) {
    const on = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
  }
  dirty.add("tab");
}
tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => select(tab.getAttribute("aria-controls")));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    select(next.getAttribute("aria-controls"));
    next.focus();
  });
});
$("lang").value = lang;
$("lang").addEventListener("change", () => { lang = $("lang").value; h = own(); w = WORDS[lang]; keep("lang", lang); for (const id of ["round", "search", "standings", "queue", "models", "tables"]) $(id).replaceChildren(); dirty.add("all"); });
document.documentElement.dataset.theme = keep("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
$("theme").addEventListener("click", () => { const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; document.documentElement.dataset.theme = next; keep("theme", next); });
$("who").addEventListener("click", async () => { await fetch("/api/session", { method: "DELETE", headers: { "X-CSRF-Token": session.csrf } }); location.replace("/"); });
await whoAmI();
acts.may_update = ["referee", "organiser", "technician"].includes(session.role);
$("staff").hidden = !may("see");
$("public").hidden = may("see");
setInterval(clockLine, 500);
connect();
draw();

