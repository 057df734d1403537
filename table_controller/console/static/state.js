// What the page knows: the server's state, kept up by the numbered messages of the feed.
const PASSING = new Set(["view", "game", "health", "machine"]);

/** Whether nobody has decided about an alert yet, or took the decision back. */
export const isOpen = (alert) => !alert.withdrawn && (!alert.decision || alert.decision.action === "undo");

const cropsOf = (hand, seat) => `${hand} ${seat}`;

export class State {
  constructor() {
    Object.assign(this, { n: -1, table: {}, view: {}, game: {}, health: {}, machine: {}, alerts: new Map(), moves: [], hands: [], orders: [], protests: [], calls: [], asked: [], crops: new Map(), start: null, viewAt: 0 });
    this.dirty = new Set(["all"]);
    this.onAlert = this.onCall = this.onAsked = this.onTable = this.onHand = this.onMachine = () => {};
  }

  /** Take one message of the feed; the parts that must be drawn anew are in `dirty`. */
  take(message) {
    const body = message.body;
    if (message.type === "state") { this.whole(body); return; }
    if (message.n <= this.n && !PASSING.has(message.type)) return; // it was in the state already
    this.n = Math.max(this.n, message.n);
    const mark = (...parts) => { for (const part of parts) this.dirty.add(part); };
    const alter = (key, more) => { const alert = this.alerts.get(key); if (alert) this.alerts.set(key, { ...alert, ...more }); mark("alerts"); };
    switch (message.type) {
      case "table": this.table = body; this.onTable(); mark("all"); break;
      case "view": this.view = body; this.viewAt = performance.now(); mark("view"); break;
      case "game": if (body.check && !this.game.check) this.onHand(); this.game = body; mark("game", "hand"); break;
      case "health": this.health = body; mark("health"); break;
      case "machine": this.machine = body; mark("machine"); break;
      case "alert": { const known = this.alerts.has(body.key); this.alerts.set(body.key, body); if (!known) this.onAlert(body); mark("alerts"); break; }
      case "decision": alter(body.key, { decision: body.decision }); mark("session"); break;
      case "passed": alter(body.key, { passed: body.t }); break;
      case "move": this.moves.push(body); if (this.moves.length > 600) this.moves.shift(); mark("moves"); break;
      case "hand": this.hands = this.hands.filter((hand) => hand.key !== body.key).concat(body); mark("hand", "session"); this.onHand(); break;
      case "order": this.orders.push(body); mark("hand", "session", "moves"); break;
      case "protest": this.protests.push(body); mark("alerts", "hand", "session"); break;
      case "call": { const known = this.calls.some((call) => call.key === body.key); this.calls = this.calls.filter((call) => call.key !== body.key).concat(body); if (!known && !body.answered) this.onCall(body); mark("calls"); break; }
      case "asked": { const known = new Set(this.asked.map((one) => one.order)); this.asked = body.orders; for (const one of body.orders) if (!known.has(one.order)) this.onAsked(one); mark("calls"); break; }
      case "crops": this.crops.set(cropsOf(body.key, body.seat), body); mark("hand"); break;
      case "refold":
        Object.assign(this, { moves: body.moves, hands: body.hands });
        for (const [key, alert] of this.alerts) this.alerts.set(key, { ...alert, withdrawn: body.withdrawn.includes(key) });
        mark("alerts", "hand", "moves", "session");
        break;
    }
  }

  whole(body) {
    const { n, table, view, game, health, moves, hands, orders } = body;
    const known = new Set([...this.asked.map((one) => one.order), ...this.calls.map((one) => one.key), ...this.alerts.keys()]), first = this.n < 0;
    Object.assign(this, { n, table, view, game, health, moves, hands, orders, machine: body.machine || {}, protests: body.protests || [], calls: body.calls || [], asked: body.asked || [], start: null });
    this.alerts = new Map(body.alerts.map((alert) => [alert.key, alert]));
    this.crops = new Map(body.crops.map((found) => [cropsOf(found.key, found.seat), found]));
    this.viewAt = performance.now();
    this.onTable();
    this.dirty.add("all");
    if (game.check) this.onHand();
    // What waits for an answer is announced though it came before the page was there, or while it was
    // cut off; alerts only in the second case: a page that opens shows how many are open.
    for (const one of this.alerts.values()) if (!first && !known.has(one.key) && isOpen(one)) this.onAlert(one);
    for (const one of this.asked) if (!known.has(one.order)) this.onAsked(one);
    for (const one of this.calls) if (!known.has(one.key) && !one.answered) this.onCall(one);
  }

  /** Source time at which the session began. */
  started() {
    if (this.start === null) this.start = this.table.start ?? this.moves[0]?.t ?? this.view.t ?? null;
    return this.start ?? 0;
  }

  /** Source time now: that of the newest view and what has passed since. */
  now() { return (this.view.t ?? 0) + (performance.now() - this.viewAt) / 1000; }

  /** The protests that stand about an alert or a hand. */
  protested(key) {
    const lifted = new Set(this.protests.filter((one) => one.action === "lift").map((one) => one.of));
    return this.protests.filter((one) => one.action === "protest" && one.about === key && !lifted.has(one.number));
  }

  /** The camera's pictures of each winner's tiles, in the order of the wins. */
  pictured(hand) { return (hand.wins || []).map((win) => this.crops.get(cropsOf(hand.key, win.winner))); }

  family() { return this.table.ruleset?.startsWith("mcr") ? "mcr" : "riichi"; }
}
