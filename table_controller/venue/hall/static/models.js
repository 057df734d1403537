// Releases of models: to a few tables first, then to the rest, and the way back.
import { el } from "/static/dom.js";
import { get } from "/static/net.js";
import { fill } from "/static/words.js";
import { reason } from "./reasons.js";

const STATES = ["offered", "fetched", "ordered", "waits", "in use", "replaced", "refused", "recalled", "returned"];
let asked = 0, later;

/** Everything anew, at most once a second; what the person types stays. */
export async function modelsPanel(panel, h, w, acts) {
  if (Date.now() - asked < 1000) { later ??= setTimeout(() => { later = undefined; modelsPanel(panel, h, w, acts); }, 1000); return; }
  asked = Date.now();
  let there;
  try { there = await get("/api/models"); } catch (error) { acts.refused(error); return; }
  const typed = Object.fromEntries([...panel.querySelectorAll("input[data-version]")].map((input) => [input.dataset.version, input]));
  const focused = document.activeElement?.dataset?.version;
  panel.replaceChildren(
    el("p", { class: "clause" }, h.models_how),
    ...(there.releases.length ? there.releases.map((one) => release(one, there.tables, typed[one.version], h, acts)) : [el("p", { class: "empty" }, h.no_models)]),
    tablesOf(there.tables, h, w));
  if (focused) panel.querySelector(`input[data-version="${CSS.escape(focused)}"]`)?.focus();
}

function release(one, tables, typed, h, acts) {
  const steps = Object.values(tables).map((table) => table.steps[one.version]?.state).filter(Boolean);
  const counts = STATES.map((state) => [state, steps.filter((each) => each === state).length]).filter(([, n]) => n);
  const which = typed ?? el("input", { placeholder: "T01 T02", "data-version": one.version });
  const order = async (step) => {
    const made = await acts.change(`/api/models/${encodeURIComponent(one.version)}/${step}`, { tables: which.value.trim().split(/[\s,]+/).filter(Boolean) });
    if (made) acts.say(fill(h.ordered_at, { n: made.orders.length }));
  };
  return el("article", { class: "hand release" },
    el("h3", {}, one.version, " ", el("small", {}, `${(one.size / 1e6).toFixed(1)} MB · ${one.by} · ${new Date(one.at * 1000).toLocaleString()}`)),
    el("p", { class: "clause" }, Object.entries(one.models).map(([name, version]) => `${name} ${version}`).join(" · ")),
    el("ul", { class: "lamps" }, counts.map(([state, n]) => el("li", { class: state === "refused" ? "bad" : "ok" }, `${n} ${h.step[state]}`))),
    acts.may_update ? el("form", { class: "row", onsubmit: (event) => event.preventDefault() }, el("label", {}, h.tables_rest, which),
      ["offer", "use", "back"].map((step) => el("button", { type: "button", class: step === "back" ? null : "main", onclick: () => order(step) }, h.model_step[step]))) : null);
}

function tablesOf(tables, h, w) {
  const names = Object.keys(tables).sort(new Intl.Collator(undefined, { numeric: true }).compare);
  return el("div", { class: "wide-table" }, el("table", {},
    el("thead", {}, el("tr", {}, [h.table, h.in_use, h.way_back, h.said].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, names.map((name) => el("tr", {}, el("th", {}, name), el("td", {}, tables[name].in_use || h.own_models), el("td", {}, tables[name].before === null ? "" : tables[name].before || h.own_models),
      el("td", {}, Object.entries(tables[name].steps).map(([version, step]) => el("div", { class: `step-${step.state.replace(" ", "-")}` }, `${version}: ${h.step[step.state] || step.state}${step.reason && ["refused", "waits"].includes(step.state) ? ` (${reason(step, h, w)})` : ""}`))))))));
}
