// What is decided: the person is asked, the change is sent once, and what is refused is said.
import * as ask from "./ask.js";
import { forget, get, pending, send } from "./net.js";
import { refusal } from "./words.js";

const $ = (id) => document.getElementById(id);

/**
 * Everything the page can order.
 * @param state what the page knows; @param w the words now; @param lang the language now.
 */
export function acts(state, w, lang) {
  let timer;
  const say = (error) => {
    $("said").textContent = typeof error === "string" ? error : refusal(w(), lang(), error);
    clearTimeout(timer);
    timer = setTimeout(() => { $("said").textContent = ""; }, 8000);
  };
  /** What the page knew when the button was pressed: what comes while the person is asked was not seen. */
  const seen = () => ({ seen: state.orders.length });
  const title = (alert) => alert.title?.[lang()] || alert.id;
  const riichi = () => state.family() === "riichi";

  /** Send a change; where the server asks back, ask the person. */
  async function change(path, body) {
    try {
      await send(path, body, () => { $("lost").hidden = false; });
      $("lost").hidden = true;
      return true;
    } catch (error) {
      if (error.insist && await ask.sure(w(), refusal(w(), lang(), error))) return change(path, { ...body, insist: true });
      if (!error.insist) say(error);
      return false;
    }
  }

  const signedBy = (heading) => ask.name(w(), heading);

  async function alert(one, action) {
    if (action === "protest") return protest(one.key, one.seat, title(one));
    if (action === "lift") return lift(state.protested(one.key)[0]);
    const heading = `${w()[action]}: ${title(one)}`;
    const form = action === "dismiss" ? await ask.reason(w(), heading) : action === "change" ? await ask.ruling(w(), heading, one.ruling || {}) : await signedBy(heading);
    if (form) await change(`/api/alerts/${one.key}/decision`, { ...form, action, seen: one.decision?.number ?? 0 });
  }

  async function protest(about, seat, heading) {
    const form = await ask.protest(w(), `${w().protest}: ${heading}`, seat);
    if (form) await change("/api/protests", { ...form, about });
  }

  async function lift(one) {
    const form = await ask.reason(w(), w().lift);
    if (form) await change(`/api/protests/${one.number}/lift`, form);
  }

  async function fix(key, where, crop) {
    const known = seen();
    const form = await ask.otherTile(w(), where.was, crop, riichi());
    if (form) await change(`/api/hands/${key}/tile`, { ...where, ...form, ...known });
  }

  async function confirm(key, steps) {
    const known = seen();
    const form = await signedBy(w().confirm_hand);
    if (form) await change(`/api/hands/${key}/confirm`, { ...form, steps, ...known });
  }

  async function undo(order) {
    const form = await signedBy(w().undo);
    if (form) await change(`/api/orders/${order.number}/undo`, form);
  }

  /** `known`: number of the newest order that the row was drawn with. */
  async function correctStep(step, known) {
    const form = await ask.otherTile(w(), step.happening.tile, null, riichi());
    if (form) await change("/api/corrections", { at: step.at, happening: { ...step.happening, tile: form.tile }, by: form.by, seen: known });
  }

  async function strike(step, known) {
    const form = await ask.reason(w(), w().strike);
    if (form) await change("/api/corrections", { ...form, at: step.at, happening: null, seen: known });
  }

  async function offence() {
    const known = seen();
    try {
      const form = await ask.offence(w(), lang(), await get("/api/offences"));
      if (form) await change("/api/offences", { ...form, ...known });
    } catch (error) { say(error); }
  }

  async function machine(action) {
    const form = await signedBy(w()[action === "next_wall" ? "order_wall" : action]);
    if (form) await change("/api/machine", { ...form, action });
  }

  async function answer(call) {
    const form = await signedBy(w().call_seen);
    if (form) await change(`/api/calls/${call.key}/answer`, form);
  }

  async function consent(one, yes) {
    const form = await signedBy(`${w().hall_orders}: ${w().hall_order[one.kind] || one.kind}`);
    if (form) await change(`/api/asked/${one.order}`, { ...form, yes });
  }

  /** A decision that the end of the session cut off: sent again with its own number, if still wanted. */
  async function resend() {
    const cut = pending();
    forget();
    const about = [w()[cut.body.action] || cut.body.action || "", cut.path.split("/").slice(3).join(" "), cut.body.reason || "", cut.body.by].filter(Boolean).join(" · ");
    if (await ask.sure(w(), `${w().resend} (${about})`)) await change(cut.path, cut.body);
  }

  return { say, alert, protest, lift, fix, confirm, undo, correctStep, strike, offence, machine, answer, consent, resend };
}
