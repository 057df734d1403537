// The one dialog: a name, a reason, a ruling, a tile. It resolves to what was filled in, or null.
import { el, keep as kept, tile } from "./dom.js";
import { fill } from "./words.js";

const $ = (id) => document.getElementById(id);
const keep = (key, value) => kept(key, value) || "";

export const signer = () => keep("by");

let last = Promise.resolve();
/** One after the other: what is being filled in is not taken away by a question that comes late. */
function open(title, parts, how) {
  const asked = last.then(() => show(title, parts, how));
  last = asked.catch(() => {});
  return asked;
}

/** `shown`: called once the parts can be found in the page. */
function show(title, parts, { ok = true, read, shown = () => {} }) {
  const dialog = $("ask");
  $("ask-title").textContent = title;
  $("ask-body").replaceChildren(...parts);
  // Enter in a field presses the first button that submits: that must never be the one that cancels.
  $("ask-ok").hidden = $("ask-ok").disabled = !ok;
  $("ask-cancel").onclick = () => dialog.close("cancel");
  dialog.returnValue = "";
  shown();
  return new Promise((done) => {
    dialog.onclose = () => done(dialog.returnValue === "cancel" || dialog.returnValue === "" ? null : read(dialog.returnValue));
    dialog.showModal();
  });
}

const field = (label, input) => el("label", {}, label, input);
const nameField = (w) => field(w.your_name, el("input", { id: "by", name: "by", maxlength: 80, required: true, autocomplete: "name", value: signer() }));
/** The name stands first until it is known. */
const named = (w, ...parts) => signer() ? [...parts, nameField(w)] : [nameField(w), ...parts];
const signed = () => { keep("by", $("by").value.trim()); return { by: $("by").value.trim(), reason: $("reason")?.value ?? "" }; };

/** Who decides; asked once on each tablet. */
export async function name(w, title) {
  if (signer()) return { by: signer(), reason: "" };
  return open(title, [nameField(w)], { read: signed });
}

/** A reason, one tap for the usual ones. */
export function reason(w, title) {
  const input = el("textarea", { id: "reason", rows: 2, maxlength: 500, required: true });
  const quick = el("div", { class: "quick" }, w.reasons.map((text) => el("button", { type: "button", onclick: () => { input.value = text; if ($("by").value.trim()) $("ask").close("ok"); else $("by").focus(); } }, text)));
  return open(title, named(w, quick, field(w.reason, input)), { read: signed });
}

function rulingFields(w, given) {
  const check = (id, label, on) => el("label", { class: "check" }, el("input", { type: "checkbox", id, checked: on }), label);
  return [
    field(w.points, el("input", { id: "r-points", type: "number", min: 0, max: 1000000, step: 1, value: given.points ?? 0, required: true })),
    field(w.pay, el("select", { id: "r-pay" }, Object.entries(w.pays).filter(([key]) => given.payments || key !== "proposed").map(([key, label]) => el("option", { value: key }, label)))),
    check("r-stop", w.stop_win, given.stop_win), check("r-along", w.play_along, given.play_along), check("r-warning", w.warning, given.warning),
    field(w.penalty_tile, el("input", { id: "r-tile", pattern: "[0-9][mps]|[1-7]z|[1-8]f", placeholder: "5m", value: given.penalty_tile ?? "" })),
  ];
}
const readRuling = () => ({ points: Number($("r-points").value), pay: $("r-pay").value, stop_win: $("r-stop").checked, play_along: $("r-along").checked, warning: $("r-warning").checked, penalty_tile: $("r-tile").value || null });

/** Another ruling than the proposed one. */
export function ruling(w, title, proposed) {
  const parts = named(w, ...rulingFields(w, proposed), field(w.reason, el("textarea", { id: "reason", rows: 2, maxlength: 500 })));
  return open(title, parts, { read: () => ({ ...signed(), ruling: readRuling() }) });
}

const GROUPS = ["speech", "lateness", "conduct", "alert"];

/** The ruling for the next time this seat does it: the one of that number, else the last. */
function nextRuling(one, seat) {
  const before = one.before?.[seat] ?? 0;
  const counted = (one.rulings || []).filter((entry) => entry.count);
  if (!counted.length) return { nth: null, ruling: one.rulings?.[0] };
  const found = counted.find((entry) => entry.count === before + 1);
  const last = counted[counted.length - 1];
  const ruling = found || { ...last, points: last.points + (last.step || 0) * Math.max(0, before + 1 - last.count) };
  return { nth: before + 1, ruling };
}

/** An offence that no camera sees, with the ruleset's ruling for it filled in. */
export function offence(w, lang, known) {
  const label = (one) => one.title?.[lang] || (one.rulings.length ? one.about : `${w.about[one.about] || one.about}: ${w.free}`);
  const what = el("select", { id: "o-what" }, GROUPS.map((group) => el("optgroup", { label: w.group[group] },
    known.map((one, index) => one.group === group ? el("option", { value: index }, label(one)) : null))));
  const clause = el("p", { class: "clause", role: "status" });
  const choices = el("div", { class: "quick" });
  let shares = null; // what each seat gets of a limit hand: as proposed, and nothing else is
  const put = (ruling, one, nth) => {
    const words = ruling && (lang === "en" ? ruling.summary : ruling.summary_zh || ruling.summary);
    shares = ruling?.shares?.[Number(seat.value)] ?? null;
    const paid = shares?.map((points, to) => points ? `${w.seat} ${to} +${points}` : null).filter(Boolean).join(" · ");
    clause.textContent = [one.clause, nth ? fill(w.nth, { n: nth }) : null, words, paid].filter(Boolean).join(" — ");
    const proposed = $("r-pay").querySelector("option[value=proposed]");
    proposed.hidden = proposed.disabled = !shares;
    $("r-points").value = shares ? shares.reduce((sum, points) => sum + points, 0) : ruling?.points ?? 0;
    $("r-pay").value = shares ? "proposed" : ruling?.pay === "each" ? "each" : "nobody";
    $("r-stop").checked = Boolean(ruling?.stop_win); $("r-along").checked = Boolean(ruling?.play_along); $("r-warning").checked = Boolean(ruling?.warning);
  };
  const fillIn = () => {
    const one = known[what.value], { nth, ruling } = nextRuling(one, Number(seat.value));
    const staged = (one.rulings || []).filter((entry) => entry.stage);
    choices.replaceChildren(...staged.map((entry) => el("button", { type: "button", onclick: () => put(entry, one, null) }, w.stage[entry.stage] || entry.stage)));
    put(ruling, one, nth);
  };
  const seat = el("select", { id: "o-seat" }, [0, 1, 2, 3].map((number) => el("option", { value: number }, `${number} ${w.seats[number]}`)));
  what.addEventListener("change", fillIn);
  seat.addEventListener("change", fillIn);
  const parts = named(w, field(w.seat, seat), field(w.offence, what), clause, choices, ...rulingFields(w, { payments: [] }), field(w.words, el("textarea", { id: "reason", rows: 2, maxlength: 500 })));
  return open(w.enter_offence, parts, { shown: fillIn, read: () => { const one = known[what.value]; return { ...signed(), id: one.id, about: one.about || label(one), seat: Number(seat.value), ruling: { ...readRuling(), shares } }; } });
}

/** Who protests, and why. */
export function protest(w, title, seat) {
  const who = el("select", { id: "p-seat" }, [0, 1, 2, 3].map((number) => el("option", { value: number, selected: number === seat }, `${number} ${w.seats[number]}`)), el("option", { value: "" }, w.not_a_player));
  const parts = named(w, field(w.who_protests, who), field(w.protest_reason, el("textarea", { id: "reason", rows: 2, maxlength: 500, required: true })));
  return open(title, parts, { read: () => ({ ...signed(), seat: who.value === "" ? null : Number(who.value) }) });
}

const ALL = ["m", "p", "s"].map((suit) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}${suit}`)).concat([[1, 2, 3, 4, 5, 6, 7].map((n) => `${n}z`), [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `${n}f`)]);

/** Which tile it really is: the likely ones first, then all; one tap. */
export function otherTile(w, was, crop, reds) {
  const take = (face) => { if (!$("by") || $("by").reportValidity()) $("ask").close(face); };
  const choose = (face) => el("button", { type: "button", value: face, class: "face", "aria-label": face, onclick: () => take(face) }, tile(face));
  const likely = (crop?.likely || []).map(([face]) => face).filter((face) => face !== was);
  const near = /^[1-9][mps]$/.test(was) ? [Number(was[0]) - 1, Number(was[0]) + 1].filter((n) => n > 0 && n < 10).map((n) => `${n}${was[1]}`) : [];
  const first = [...new Set([...likely, ...near])].slice(0, 6);
  const rows = reds ? [...ALL, ["0m", "0p", "0s"]] : ALL;
  const parts = [
    el("div", { class: "was" }, tile(was), crop ? el("img", { src: `/evidence/${crop.file}`, alt: w.camera, class: "crop" }) : null),
    first.length ? el("div", { class: "faces likely" }, first.map(choose)) : null,
    el("details", { open: !first.length }, el("summary", {}, w.all_tiles), rows.map((row) => el("div", { class: "faces" }, row.map(choose)))),
    signer() ? null : nameField(w),
  ].filter(Boolean);
  return open(w.really, parts, { ok: false, read: (value) => ({ by: signer() || signed().by, tile: value }) });
}

/** Yes or no, in the server's words. */
export const sure = (w, text) => open(text, [], { read: () => true });
