// The one dialog: a name, a reason, a ruling, a tile. It resolves to what was filled in, or null.
import { el, tile } from "./panels.js";

const $ = (id) => document.getElementById(id);
const keep = (key, value) => { try { if (value !== undefined) localStorage.setItem(key, value); return localStorage.getItem(key) || ""; } catch { return ""; } };

export const signer = () => keep("by");

function open(title, parts, { ok = true, read }) {
  const dialog = $("ask");
  $("ask-title").textContent = title;
  $("ask-body").replaceChildren(...parts);
  $("ask-ok").hidden = !ok;
  dialog.returnValue = "";
  return new Promise((done) => {
    dialog.onclose = () => done(dialog.returnValue === "cancel" || dialog.returnValue === "" ? null : read(dialog.returnValue));
    dialog.showModal();
  });
}

const field = (label, input) => el("label", {}, label, input);
const nameField = (w) => field(w.your_name, el("input", { id: "by", name: "by", maxlength: 80, required: true, autocomplete: "name", value: signer() }));
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
  return open(title, [nameField(w), quick, field(w.reason, input)], { read: signed });
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
  const parts = [nameField(w), ...rulingFields(w, proposed), field(w.reason, el("textarea", { id: "reason", rows: 2, maxlength: 500 }))];
  return open(title, parts, { read: () => ({ ...signed(), ruling: readRuling() }) });
}

/** An offence that no camera sees. */
export function offence(w, lang, known) {
  const label = (one) => one.id === "other" ? w.about[one.about] || one.about : one.title?.[lang] || one.id;
  const what = el("select", { id: "o-what" }, known.map((one, index) => el("option", { value: index }, label(one))));
  const clause = el("p", { class: "clause" });
  const show = () => {
    const one = known[what.value], first = one.rulings?.[0];
    clause.textContent = [one.clause, first && (lang === "en" ? first.summary : first.summary_zh)].filter(Boolean).join(" — ");
    if (!first || !$("r-points")) return;
    $("r-points").value = first.points; $("r-pay").value = first.pay === "each" ? "each" : "nobody";
    $("r-stop").checked = first.stop_win; $("r-along").checked = first.play_along; $("r-warning").checked = first.warning;
  };
  what.addEventListener("change", show);
  const parts = [nameField(w), field(w.offence, what), clause,
    field(w.seat, el("select", { id: "o-seat" }, [0, 1, 2, 3].map((seat) => el("option", { value: seat }, `${seat} ${w.seats[seat]}`)))),
    ...rulingFields(w, {}), field(w.words, el("textarea", { id: "reason", rows: 2, maxlength: 500 }))];
  setTimeout(show);
  return open(w.enter_offence, parts, { read: () => { const one = known[what.value]; return { ...signed(), id: one.id, about: $("reason").value.trim() || label(one), seat: Number($("o-seat").value), ruling: readRuling() }; } });
}

const ALL = ["m", "p", "s"].map((suit) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}${suit}`)).concat([[1, 2, 3, 4, 5, 6, 7].map((n) => `${n}z`), [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `${n}f`)]);

/** Which tile it really is: the likely ones first, then all; one tap. */
export function otherTile(w, was, crop, reds) {
  const choose = (face) => el("button", { type: "submit", value: face, class: "face", "aria-label": face }, tile(face));
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
  return open(w.really, parts, { ok: false, read: (value) => ({ by: signer() || $("by")?.value.trim(), tile: value }) });
}

/** Yes or no, in the server's words. */
export const sure = (w, text) => open(text, [], { read: () => true });
