// The table from above, drawn in millimetres of the table frame: x to the right, y up.
const NS = "http://www.w3.org/2000/svg";

function node(name, attributes = {}, parent = null) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.append(made);
  return made;
}

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

export class TableDrawing {
  constructor(parent) {
    this.parent = parent;
    this.tiles = new Map();
  }

  /** Draw the felt once the size of the surface and of the tiles is known. */
  setUp(table) {
    this.size = table.surface_mm || 820;
    const [w, h, d] = table.tile_mm || [26, 36, 20];
    this.tile = { w, h, d };
    const half = this.size / 2, rail = half + 28;
    this.svg = node("svg", { viewBox: `${-rail} ${-rail} ${2 * rail} ${2 * rail}`, role: "img" });
    const defs = node("defs", {}, this.svg);
    const felt = node("radialGradient", { id: "felt", cx: "50%", cy: "45%", r: "75%" }, defs);
    node("stop", { offset: "0", "stop-color": "var(--felt)" }, felt);
    node("stop", { offset: "1", "stop-color": "var(--felt-2)" }, felt);
    const hatch = node("pattern", { id: "hatch", width: 14, height: 14, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, defs);
    node("rect", { width: 14, height: 14, fill: "#000", "fill-opacity": .22 }, hatch);
    node("rect", { width: 5, height: 14, fill: "#fff", "fill-opacity": .22 }, hatch);
    node("rect", { x: -rail, y: -rail, width: 2 * rail, height: 2 * rail, rx: 30, fill: "var(--rail)" }, this.svg);
    node("rect", { x: -half, y: -half, width: this.size, height: this.size, rx: 16, fill: "url(#felt)" }, this.svg);
    this.layers = { tiles: node("g", {}, this.svg), dice: node("g", {}, this.svg), covered: node("g", {}, this.svg), marks: node("g", {}, this.svg) };
    this.tiles.clear();
    this.parent.replaceChildren(this.svg);
  }

  /** Show what is believed to lie where. */
  show(view, label) {
    if (!this.svg || !view.tiles) return;
    this.svg.setAttribute("aria-label", label);
    const seen = new Set();
    const sorted = [...view.tiles].sort((a, b) => a.z - b.z);
    sorted.forEach((tile, index) => {
      const key = String(tile.id);
      seen.add(key);
      let shown = this.tiles.get(key);
      const look = `${tile.face}|${tile.posture}|${tile.z > 1.5 * this.tile.d && tile.posture === "face_down"}`;
      if (!shown) {
        shown = { g: node("g", { class: "tile" }, this.layers.tiles), look: "" };
        this.tiles.set(key, shown);
      }
      if (shown.look !== look) { this.draw(shown.g, tile); shown.look = look; }
      shown.g.setAttribute("transform", `translate(${tile.x.toFixed(1)} ${(-tile.y).toFixed(1)}) rotate(${(-tile.angle).toFixed(1)})`);
      shown.g.setAttribute("opacity", tile.seen === false ? .45 : 1);
      const at = this.layers.tiles.children[index];
      if (at !== shown.g) this.layers.tiles.insertBefore(shown.g, at ?? null);
    });
    for (const [key, shown] of this.tiles) if (!seen.has(key)) { shown.g.remove(); this.tiles.delete(key); }
    this.layers.dice.replaceChildren(...(view.dice || []).map((die) => this.die(die)));
    this.layers.covered.replaceChildren(...(view.covered || []).map((points) =>
      node("polygon", { points: points.map(([x, y]) => `${x.toFixed(0)},${(-y).toFixed(0)}`).join(" "), fill: "url(#hatch)" })));
  }

  draw(g, tile) {
    const { w, h, d } = this.tile;
    g.replaceChildren();
    if (tile.posture === "standing") {
      node("rect", { x: -w / 2 + .6, y: -d / 2, width: w - 1.2, height: d, rx: 3, fill: "#f6efdf", stroke: "#0005" }, g);
      node("rect", { x: -w / 2 + .6, y: -d / 2, width: w - 1.2, height: d * .42, rx: 3, fill: "#2c7a5b" }, g);
      return;
    }
    const high = tile.z > 1.5 * d && tile.posture === "face_down";
    node("rect", { x: -w / 2 + .4, y: -h / 2 + .4, width: w - .8, height: h - .8, rx: 3, fill: high ? "#000a" : "#0006", transform: high ? "translate(2.4 3)" : "translate(1.2 1.6)" }, g);
    const name = tile.posture === "face_down" ? "back" : tile.face;
    if (name === "?") {
      node("rect", { x: -w / 2 + .4, y: -h / 2 + .4, width: w - .8, height: h - .8, rx: 3, fill: "#e9e4d8", stroke: "#b26a00", "stroke-dasharray": "4 2" }, g);
      node("text", { x: 0, y: h * .18, "text-anchor": "middle", "font-size": h * .55, fill: "#b26a00" }, g).textContent = "?";
      return;
    }
    node("image", { href: `/static/tiles/${name}.svg`, x: -w / 2 + .4, y: -h / 2 + .4, width: w - .8, height: h - .8, preserveAspectRatio: "none" }, g);
  }

  die({ x, y, value, moving }) {
    const g = node("g", { transform: `translate(${x.toFixed(1)} ${(-y).toFixed(1)})`, opacity: moving ? .5 : 1 });
    node("rect", { x: -9, y: -9, width: 18, height: 18, rx: 4, fill: "#fffdf8", stroke: "#0006" }, g);
    for (const place of PIPS[value] || [])
      node("circle", { cx: (place % 3 - 1) * 5, cy: (Math.floor(place / 3) - 1) * 5, r: value === 1 ? 3 : 1.9, fill: value === 1 || value === 4 ? "#c62828" : "#222" }, g);
    if (!value) node("text", { x: 0, y: 5, "text-anchor": "middle", "font-size": 14, fill: "#555" }, g).textContent = "?";
    return g;
  }
}
