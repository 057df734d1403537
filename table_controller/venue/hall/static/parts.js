// The parts of the hall's page. They build nodes, never HTML from text.
import { el } from "/static/dom.js";
import { get } from "/static/net.js";
import { alertCard } from "/static/panels.js";
import { fill } from "/static/words.js";
import { reason } from "./reasons.js";

const time = (t) => (t ? new Date(t * 1000).toLocaleTimeString() : "");

function faultWords(table, h) {
  return (table.faults || []).map((one) => (one.startsWith("camera ") ? `${h.camera} ${one.slice(7)}` : fill(h.fault[one] || one, { s: Math.abs(table.offset ?? 0).toFixed(1) })));
}

/** One table on the map: state, last event, timers, faults. */
export function tableCard(table, running, h, w) {
  const faults = faultWords(table, h);
  const cls = table.silent ? "silent" : faults.length ? "fault" : table.open_alerts ? "open" : table.state;
  const names = running?.seats?.[table.table];
  const behind = (table.head ?? 0) - (table.acked ?? 0);
  const timers = (table.timers || []).map((one) => `${w.timer[one.what] || one.what} ${one.limit} s`);
  return el("li", { class: cls, "aria-label": table.table },
    el("header", {}, el("b", {}, table.table), el("span", {}, table.silent ? h.not_heard : h.state[table.state] || "")),
    el("span", { class: "scores" }, table.session || ""),
    el("span", {}, `${table.round_wind ? w.winds[table.round_wind] : ""} ${h.hand_no} ${table.hand ?? 0}`.trim(), running?.hands?.[table.table] !== undefined ? ` · ${running.hands[table.table]} ✓` : ""),
    names ? el("span", { class: "names", title: names.join(" ") }, names.join(" ")) : null,
    table.scores?.length ? el("span", { class: "scores" }, table.scores.join(" / ")) : null,
    el("span", { class: "last" }, table.last ? `${lastWords(table.last, w)} ${time(table.last_t)}` : ""),
    timers.length ? el("span", { class: "last" }, timers.join(" · ")) : null,
    table.open_alerts ? el("span", { class: "bad" }, `▲ ${table.open_alerts} ${h.open}`) : null,
    faults.map((one) => el("span", { class: "bad" }, one)),
    behind > 30 ? el("span", { class: "wait" }, fill(h.outbox, { n: behind })) : null,
    table.waiting?.length ? el("span", { class: "wait" }, h.waits + table.waiting.map((one) => h.order[one] || one).join(", ")) : null);
}

function lastWords(last, w) {
  const [what, seat] = last.split(" ");
  const said = w.move[what] || what;
  return seat === undefined ? said : `${w.seats[seat] ?? seat} ${said}`;
}

/** Sessions with two journals, forked or of two machines: both are kept, somebody says which counts. */
export function troubles(state, h, acts) {
  return Object.values(state.chains).filter((one) => one.forked_at || one.twice).map((one) => el("div", { class: "trouble", role: "alert" },
    el("strong", {}, one.twice ? fill(h.twice, { table: one.table, session: one.session }) : fill(h.forked, { table: one.table, at: one.forked_at })),
    el("div", { class: "actions" }, [[one.of_id, h.chain, one.of_name, one.of_head, one.of_counts], [one.id, one.twice ? h.chain : h.branch, one.branch, one.head, one.counts]].map(([id, what, name, head, counts]) =>
      el("span", {}, `${what} ${name.slice(0, 8)} (${head} ${h.entries}) `, counts ? el("b", {}, h.counts) : acts ? el("button", { type: "button", onclick: () => acts.change(`/api/chains/${id}/counts`) }, h.let_count) : null)))));
}

function takenBy(one, h, acts) {
  const own = acts?.mine(`${one.chain}-${one.what}`);
  if (one.claimed_by && own) return [el("span", { class: "taken" }, h.mine), el("button", { type: "button", onclick: () => acts.release(one) }, h.release)];
  if (one.claimed_by) return [el("span", { class: "taken" }, `${one.claimed_by} ${h.has}`)];
  return acts ? [el("button", { type: "button", class: "main", onclick: () => acts.claim(one) }, h.claim)] : [];
}

/** Open calls and alerts, oldest first; then what was decided lately. */
export function queueItems(state, h, w, lang, acts) {
  const calls = Object.values(state.calls).sort((a, b) => a.got - b.got).map((call) => {
    const one = { ...call, what: `call-${call.seq}` };
    const own = acts?.mine(`${one.chain}-${one.what}`);
    return [`call-${one.chain}-${one.seq}`, [one, own, lang], () => el("div", { class: "item" }, el("div", { class: "callbar", role: "alert" },
      el("strong", {}, `${one.table} · ${h.seat} ${one.seat} (${w.seats[one.seat]}) ${h.call}`), el("time", {}, time(one.t)), takenBy(one, h, acts),
      own && one.claimed_by ? el("button", { type: "button", class: "main", onclick: () => acts.answer(one) }, h.answered) : null))];
  });
  // Pictures that a table brought are asked for once more.
  const brought = new Map(Object.values(state.orders).filter((one) => one.kind === "evidence" && one.state === "done").sort((a, b) => a.at - b.at).map((one) => [`${one.table_name} ${one.facts?.alert}`, one.id]));
  const alerts = Object.entries(state.alerts).sort(([, a], [, b]) => Boolean(a.decision) - Boolean(b.decision) || (a.decision ? b.got - a.got : a.got - b.got)).map(([key, alert]) => {
    const one = { ...alert, what: alert.key };
    const own = acts?.mine(`${one.chain}-${one.what}`) && one.claimed_by;
    return [key, [one, own, lang, brought.get(`${one.table} ${one.key}`)], () => el("div", { class: `item ${own ? "mine" : one.claimed_by ? "other" : "free"}` },
      el("div", { class: "from" }, el("b", {}, one.table), el("time", {}, time(one.t)), el("span", { class: "hand-id" }, one.hand_id), takenBy(one, h, acts),
        acts ? el("button", { type: "button", onclick: () => acts.pictures(one) }, h.get_pictures) : null),
      alertCard(one, w, lang, one.t, acts && own ? acts.decide : null))];
  });
  const items = [...calls, ...alerts];
  return items.length ? items : [["none", lang, () => el("p", { class: "empty" }, h.none)]];
}

const field = (label, input) => el("label", {}, label, input);

/** The text of a file: UTF-8, or as Excel writes it in China. */
export function textOf(bytes) {
  try { return new TextDecoder("utf-8", { fatal: true }).decode(bytes); } catch { return new TextDecoder("gb18030").decode(bytes); }
}

function fileForm(label, path, h, acts, extra = (body) => body) {
  const input = el("input", { type: "file", accept: ".csv,text/csv", required: true });
  return el("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    const file = input.files[0];
    if (file) await acts.change(path, extra({ text: textOf(await file.arrayBuffer()), source: file.name }));
  } }, field(label, input), el("button", { class: "main" }, h.choose_file === undefined ? "" : h.ok));
}

/** Rounds, seats and their progress; drawing and importing for those who may. */
export function roundPanel(panel, state, h, acts) {
  const rows = state.rounds.map((one) => {
    const tables = Object.keys(one.seats), hands = Object.values(one.hands || {}).reduce((sum, n) => sum + n, 0), all = tables.length * 16;
    const minutes = el("input", { type: "number", min: 1, max: 1440, value: 90, "aria-label": h.minutes, style: "width:5rem" });
    return el("article", { class: "hand" }, el("h3", {}, `${h.round} ${one.number} · ${h[one.state]} `, el("small", {}, one.source)),
      one.state === "planned" ? null : el("p", {}, el("span", { class: "progress" }, el("i", { style: `width:${all ? (100 * hands) / all : 0}%` })), ` ${hands} / ${all}`),
      acts ? el("div", { class: "actions" },
        one.state === "planned" ? [minutes, el("button", { type: "button", class: "main", onclick: () => acts.change(`/api/rounds/${one.number}/start`, { minutes: Number(minutes.value) }) }, h.start)] : null,
        one.state === "running" ? el("button", { type: "button", onclick: () => acts.change(`/api/rounds/${one.number}/end`) }, h.end) : null) : null,
      el("details", { open: one.state === "running" && tables.length < 30 }, el("summary", {}, `${tables.length} ${h.map}`),
        el("table", {}, el("tbody", {}, tables.sort().map((name) => el("tr", {}, el("th", {}, name), one.seats[name].map((player) => el("td", {}, player)), el("td", { class: "n" }, one.hands?.[name] ?? ""),
          acts && one.state === "running" ? el("td", {}, el("button", { type: "button", onclick: () => acts.change(`/api/rounds/${one.number}/start`, { tables: [name] }) }, h.begin_again)) : null)))))); 
  });
  const tools = acts ? toolForms(state, h, acts) : [];
  panel.replaceChildren(...(rows.length ? rows : [el("p", { class: "empty" }, h.not_seated)]), ...tools);
}

function toolForms(state, h, acts) {
  const seed = el("input", { required: true, maxlength: 40 }), count = el("input", { type: "number", min: 1, max: 40, value: 4, required: true });
  const drawing = el("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    const names = Object.keys(state.tables).sort(new Intl.Collator(undefined, { numeric: true }).compare);
    const made = await acts.change("/api/seating/draw", { seed: seed.value, rounds: Number(count.value), tables: names });
    if (made?.again) acts.say(fill(h.again, { n: made.again }));
  } }, field(h.seed, seed), field(h.how_many, count), el("button", { class: "main" }, h.draw));
  return [fileForm(h.import_players, "/api/players", h, acts), drawing, fileForm(h.import_seats, "/api/seating/import", h, acts)];
}

let asked = 0, byTeam = false;
/** The standings as they are now. */
export async function standingsPanel(panel, h, acts) {
  if (Date.now() - asked < 1000 && panel.childElementCount) return;
  asked = Date.now();
  let lines;
  try { lines = await get(`/api/standings?teams=${byTeam}`); } catch (error) { acts.refused(error); return; }
  const again = () => { asked = 0; standingsPanel(panel, h, acts); };
  const box = el("input", { type: "checkbox", checked: byTeam, onchange: () => { byTeam = box.checked; again(); } });
  panel.replaceChildren(el("label", { class: "check" }, box, ` ${h.by_team}`), standingsTable(lines, h));
}

function standingsTable(lines, h) {
  const sessions = [...new Set(lines.flatMap((line) => (line.sessions || []).map((one) => one.session.split("-")[0])))];
  return el("div", { class: "wide-table" }, el("table", {},
    el("thead", {}, el("tr", {}, [h.place, h.player, h.standard, h.score, ...sessions].map((text, index) => el("th", { class: index === 1 ? null : "n", scope: "col" }, text)))),
    el("tbody", {}, lines.map((line) => el("tr", {}, el("td", { class: "n" }, String(line.place)), el("td", {}, line.player), el("td", { class: "n" }, String(Math.round(line.standard * 100) / 100)), el("td", { class: "n" }, String(line.score)),
      sessions.map((name) => { const one = (line.sessions || []).find((each) => each.session.split("-")[0] === name); return el("td", { class: "n" }, one ? `${one.rank}. (${one.score})` : ""); }))))));
}

/** Search over all journals and their evidence. */
export function searchPanel(panel, h, w, lang, acts) {
  if (panel.childElementCount) return;
  const table = el("input", { maxlength: 24 }), text = el("input", { type: "search", maxlength: 80 }), hand = el("input", { type: "number", min: 0, max: 999 });
  const kind = el("select", {}, ["", "alert", "decision", "correction", "protest", "hand", "evidence", "order", "note", "happening"].map((one) => el("option", { value: one }, one ? h.entry[one] : h.any)));
  const out = el("div", { class: "found", role: "status" });
  const form = el("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    const query = new URLSearchParams(Object.entries({ table: table.value.trim(), text: text.value.trim(), kind: kind.value, hand: hand.value }).filter(([, value]) => value));
    try { show(await get(`/api/search?${query}`)); } catch (error) { acts.refused(error); }
  } }, field(h.table, table), field(h.text, text), field(h.kind, kind), field(h.hand, hand), el("button", { class: "main" }, h.find));
  const show = (found) => out.replaceChildren(el("p", {}, fill(h.found, { n: found.length })), ...found.map((one) => el("article", { class: "hand" },
    el("div", { class: "from" }, el("b", {}, one.table), ` ${time(one.t)} · ${h.entry[one.kind] || one.kind} · `, el("span", { class: "hand-id" }, `${one.hand_id} #${one.seq}`)),
    one.kind === "alert" ? alertCard({ ...one.body, files: one.files, title: null }, w, lang, one.t, null) : el("pre", {}, JSON.stringify(one.body)))));
  panel.replaceChildren(form, out);
}

// Kept while the panel is made anew: answers come while somebody types.
const which = el("input", { placeholder: "T01 T02" }), rules = el("input", { maxlength: 60 });
/** Orders to tables with their answers. */
export function orderPanel(state, h, w, acts) {
  const newest = Object.values(state.orders).sort((a, b) => b.at - a.at).slice(0, 200);
  const parts = [];
  if (acts) {
    rules.placeholder = state.venue.ruleset || "";
    const give = async (kind, body = {}) => {
      const tables = which.value.trim() ? which.value.trim().split(/[\s,]+/) : Object.keys(state.tables);
      await acts.change("/api/orders", { tables, kind, body });
    };
    parts.push(el("form", { class: "row", onsubmit: (event) => event.preventDefault() }, field(h.tables, which),
      [["pause", h.pause], ["resume", h.resume], ["session_end", h.end_session]].map(([kind, text]) => el("button", { type: "button", onclick: () => give(kind) }, text)),
      field(h.ruleset, rules), el("button", { type: "button", onclick: () => rules.value.trim() && give("settings", { ruleset: rules.value.trim() }) }, h.set_ruleset)));
  }
  parts.push(el("div", { class: "wide-table" }, el("table", {}, el("thead", {}, el("tr", {}, [h.when, h.table, h.what, h.by, h.said].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, newest.map((one) => el("tr", {}, el("td", {}, time(one.at)), el("td", {}, one.table_name), el("td", {}, h.order[one.kind] || one.kind), el("td", {}, one.by), el("td", { class: `state-${one.state}` }, [h.answer[one.state] || one.state, reason(one, h, w)].filter(Boolean).join(": "))))))));
  return parts;
}

/** What went wrong, newest first. */
export function logPanel(state, h, w) {
  return [el("h3", {}, h.log), el("table", {}, el("tbody", {}, (state.incidents || []).map((one) => el("tr", {}, el("td", {}, time(one.at)), el("td", {}, one.table || ""), el("td", {}, h.incident[one.kind] || one.kind), el("td", {}, reason(one, h, w))))))];
}

/** The public's board: places and scores of finished hands, nothing else. */
export function board(panel, shown, h) {
  const left = shown.ends ? Math.max(0, Math.round(shown.ends - Date.now() / 1000)) : null;
  panel.replaceChildren(...[el("h2", {}, `${shown.venue}${shown.round ? ` · ${h.round} ${shown.round}` : ""}`),
    left === null ? null : el("p", {}, `${h.time_left} ${Math.floor(left / 60)} ${h.minutes}`),
    shown.standings.length ? standingsTable(shown.standings, h) : el("p", { class: "empty" }, h.no_board),
    el("h2", {}, h.board_tables), el("ul", { class: "places" }, shown.tables.map((one) => el("li", {}, el("b", {}, one.table), ` · ${one.hands} ✓`, el("table", {}, el("tbody", {}, one.players.map((name, seat) => el("tr", {}, el("td", {}, name), el("td", { class: "n" }, String(one.scores[seat]))))))))),
    el("p", { class: "clause" }, h.late)].filter(Boolean));
}
