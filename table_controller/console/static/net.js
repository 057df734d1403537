// What goes out: every change once, signed, with the session's CSRF token; sent again until answered.
export const session = { role: "", rights: new Set(), csrf: "", name: "" };

export async function whoAmI() {
  const answer = await fetch("/api/session");
  if (answer.status === 401) { location.replace("/"); return; }
  const body = await answer.json();
  Object.assign(session, { role: body.role, rights: new Set(body.rights), csrf: body.csrf, name: body.name });
}

export const may = (right) => session.rights.has(right);

function fresh() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const PENDING = "paiguan-pending";
const store = (value) => { try { if (value === null) sessionStorage.removeItem(PENDING); else if (value !== undefined) sessionStorage.setItem(PENDING, JSON.stringify(value)); return JSON.parse(sessionStorage.getItem(PENDING) || "null"); } catch { return null; } };

/** A change that the end of the session cut off, to be offered again after signing in. */
export const pending = () => store();
export const forget = () => store(null);

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Send a change. A network that drops in the middle is tried again with the same request number,
 * which the server takes once. Returns the answer's body; throws an Error with the server's words,
 * and `insist` where it may be sent again with that.
 */
export async function send(path, body, waiting = () => {}) {
  const whole = JSON.stringify({ request: fresh(), ...body });
  for (let turn = 0; ; turn++) {
    let answer;
    try {
      answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": session.csrf }, body: whole });
    } catch {
      waiting();
      await pause(Math.min(250 * 2 ** turn, 3000));
      continue;
    }
    if (answer.status >= 500 && turn < 3) { await pause(500); continue; }
    const said = await answer.json().catch(() => ({ detail: answer.statusText }));
    if (answer.ok) return said;
    if (answer.status === 429) { waiting(); await pause(1000 * Number(answer.headers.get("retry-after") || 1)); continue; }
    if (answer.status === 401) { store({ path, body: JSON.parse(whole) }); location.replace("/"); }
    const detail = typeof said.detail === "string" ? said.detail : (said.detail || []).map((one) => `${one.loc.slice(1).join(".")}: ${one.msg}`).join("; ");
    throw Object.assign(new Error(detail), { insist: Boolean(said.insist), code: said.code, facts: said.facts, status: answer.status, detail });
  }
}

export const get = async (path) => {
  const answer = await fetch(path);
  if (answer.status === 401) location.replace("/");
  if (!answer.ok) { const detail = (await answer.json().catch(() => ({}))).detail || answer.statusText; throw Object.assign(new Error(detail), { status: answer.status, detail }); }
  return answer.json();
};
