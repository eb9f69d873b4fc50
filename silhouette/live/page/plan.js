// The table from above in SVG, for browsers without WebGL: it can do what `view.js` can, but for the eye's view.
import { inPlan, trianglesInPlan } from "./hulls.js";
import { drawn, drawnFlat, pathOf } from "./svg.js";

const { hullOf } = window.silhouetteViewer;
const MARGIN = 0.04;
const NEARER = 0.8;
export class Plan {
  constructor(holder, shapes) {
    this.shapes = shapes;
    this.eye = null;
    this.canColour = false;
    this.size = 100;
    this.drawn = () => {};
    this.floor = drawn("g");
    this.picture = drawn("g");
    this.cells = drawn("g");
    this.figures = drawn("g");
    this.lines = drawn("g");
    this.flipped = drawn("g", { transform: "scale(1 -1)" }, this.floor, this.picture, this.cells, this.figures, this.lines);
    this.svg = drawn("svg", { class: "plan", "aria-hidden": "true" }, hatch(), this.flipped);
    holder.append(this.svg);
    this.box = [0, 0, 100, 100];
    this.known = new Map();
    this.pieces = [];
    this.can = true;
    this.pointers = new Map();
    this.svg.addEventListener("pointerdown", (event) => this.#down(event));
    this.svg.addEventListener("pointermove", (event) => this.#moved(event));
    for (const type of ["pointerup", "pointercancel"]) this.svg.addEventListener(type, (event) => this.pointers.delete(event.pointerId));
    this.svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    new ResizeObserver(() => this.draw()).observe(holder);
  }

  shown(shown) {
    this.svg.toggleAttribute("hidden", !shown);
  }

  painted() {}

  // The picture of a scan from above: its row 0 is farthest.
  underlaid(above) {
    if (this.canColour !== Boolean(above)) this.#forget();
    this.canColour = Boolean(above);
    this.svg.classList.toggle("pictured", this.canColour);
    if (!above) return this.picture.replaceChildren();
    const { low: [left, near], high: [right, far], type, data } = above;
    const size = { x: left, y: -far, width: right - left, height: far - near, preserveAspectRatio: "none" };
    return this.picture.replaceChildren(drawn("image", { href: `data:${type};base64,${data}`, transform: "scale(1 -1)", ...size }));
  }

  coloured(own) {
    this.picture.toggleAttribute("hidden", !own);
    this.svg.classList.toggle("pictured", own && this.canColour);
  }
  steered(can) {
    this.can = can;
  }
  above() {
    this.whole();
  }
  turned(left, up) {
    this.#shifted(this.box[2] * -0.5 * left, this.box[3] * -0.5 * up);
  }

  framed([[left, near], [right, far]]) {
    this.size = Math.hypot(right - left, far - near) / 2;
    this.span = [left, near, right, far];
    const lines = [];
    for (let x = Math.ceil(left / 25.4) * 25.4; x <= right; x += 25.4) lines.push(`M${x} ${near}V${far}`);
    for (let y = Math.ceil(near / 25.4) * 25.4; y <= far; y += 25.4) lines.push(`M${left} ${y}H${right}`);
    this.floor.replaceChildren(
      drawn("rect", { x: left, y: near, width: right - left, height: far - near, class: "ground" }),
      drawn("path", { d: lines.join(""), class: "grid" }),
    );
  }

  whole() {
    if (!this.span) return;
    const [left, near, right, far] = this.span;
    const margin = MARGIN * Math.max(right - left, far - near);
    this.box = [left - margin, -far - margin, right - left + 2 * margin, far - near + 2 * margin];
    this.draw();
  }

  #forget() {
    for (const { figure } of this.known.values()) figure.remove();
    this.known.clear();
  }

  show(pieces) {
    this.pieces = pieces;
    const names = new Set(pieces.map(({ name }) => name));
    for (const [name, { figure }] of this.known) {
      if (names.has(name)) continue;
      figure.remove();
      this.known.delete(name);
    }
    for (const piece of pieces) this.#figure(piece);
  }

  #figure(piece) {
    const shape = this.shapes.known.get(piece.shape);
    if (!shape) return;
    let known = this.known.get(piece.name);
    if (known?.shape !== piece.shape) {
      known?.figure.remove();
      const parts = piece.kind === "terrain" ? this.#ground(shape) : [drawn("path", { d: pathOf(shape.outline), class: "foot" }), hull(shape)];
      known = { shape: piece.shape, figure: drawn("g", {}, ...parts) };
      this.known.set(piece.name, known);
      if (piece.kind === "terrain") this.figures.prepend(known.figure);
      else this.figures.append(known.figure);
    }
    const { pose } = piece;
    const { figure } = known;
    figure.dataset.piece = piece.name;
    figure.setAttribute("transform", `matrix(${[pose[0], pose[4], pose[1], pose[5], pose[3], pose[7]].join(" ")})`);
    figure.setAttribute("class", `figure ${piece.kind === "terrain" ? "terrain" : "model"} ${this.#part(piece.name)}`);
  }

  // Terrain with its notches and courts: its triangles, over the same with a rim, of which the outer half is left to see.
  // Through the picture of a scan that would not do.
  #ground(shape) {
    const triangles = this.canColour ? null : trianglesInPlan(shape);
    if (!triangles?.length) return [hull(shape)];
    const d = triangles.map(pathOf).join("");
    return [drawn("path", { d, class: "rim" }), drawn("path", { d, class: "body rimmed" })];
  }

  #part(name) {
    const { view } = this;
    if (!view) return "";
    if (name === view.attacker) return "attacker";
    if (name === view.target) return view.free ? "seen" : "obscured";
    return view.blockers.includes(name) ? "blocker" : "";
  }

  looking(view) {
    this.view = view;
    for (const piece of this.pieces) this.#figure(piece);
  }

  marked(marks) {
    this.lines.replaceChildren(...drawnFlat(marks, ([x, y]) => [x, y]));
    this.drawn();
  }

  mapped(cells) {
    if (!cells) return this.cells.replaceChildren();
    const square = ({ at: [x, y], width }, fill) =>
      drawn("rect", { x: x - width / 2, y: y - width / 2, width, height: width, fill });
    return this.cells.replaceChildren(
      ...cells.places.flatMap((place) => [
        square(place, place.colour),
        ...(place.marginal ? [square(place, "url(#hatched)")] : []),
      ]),
    );
  }

  draw() {
    this.svg.setAttribute("viewBox", this.box.join(" "));
    this.drawn();
  }

  at(x, y) {
    const figure = document.elementsFromPoint(x, y).map((element) => element.closest?.(".figure")).find(Boolean);
    return { name: figure?.dataset.piece || null, point: this.ground(x, y, 0) };
  }

  surface() {
    return 0;
  }

  ground(x, y, height) {
    const matrix = this.flipped.getScreenCTM();
    const point = new DOMPoint(x, y).matrixTransform(matrix.inverse());
    return [point.x, point.y, height];
  }

  project([x, y]) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    const matrix = this.flipped.getScreenCTM();
    if (!matrix) return { x: 0, y: 0, shown: false };
    const point = new DOMPoint(x, y).matrixTransform(matrix);
    const [px, py] = [point.x - left, point.y - top];
    return { x: px, y: py - 8, shown: px > 0 && py > 0 && px < width && py < height };
  }

  place(point) {
    const { x, y } = new DOMPoint(point[0], point[1]).matrixTransform(this.flipped.getScreenCTM());
    return [x, y, -point[2]];
  }

  near() {
    return true;
  }
  proposed() {}

  top() {
    return 0;
  }

  axes() {
    return { up: [0, 1], right: [1, 0] };
  }

  nearer(share = NEARER) {
    const [x, y, width, height] = this.box;
    this.box = [x + (width * (1 - share)) / 2, y + (height * (1 - share)) / 2, width * share, height * share];
    this.draw();
  }

  farther() {
    this.nearer(1 / NEARER);
  }

  #shifted(x, y) {
    this.box = [this.box[0] + x, this.box[1] + y, this.box[2], this.box[3]];
    this.draw();
  }

  #down(event) {
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.svg.setPointerCapture(event.pointerId);
  }

  // One finger shifts the plan, two bring it nearer.
  #moved(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before || !this.can) return;
    const apart = () => {
      const [[ax, ay], [bx, by]] = [...this.pointers.values()];
      return Math.hypot(ax - bx, ay - by);
    };
    const wide = this.pointers.size > 1 && apart();
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (wide) return this.nearer(wide / Math.max(apart(), 1));
    const scale = this.flipped.getScreenCTM().a || 1;
    return this.#shifted((before[0] - event.clientX) / scale, (before[1] - event.clientY) / scale);
  }

  #wheel(event) {
    event.preventDefault();
    this.nearer(event.deltaY > 0 ? 1.12 : 1 / 1.12);
  }
}

function hull(shape) {
  return drawn("path", { d: pathOf(hullOf(inPlan(shape))), class: "body" });
}

function hatch() {
  const line = drawn("path", { d: "M-2 2L2-2M0 8L8 0M6 10L10 6", class: "hatch" });
  return drawn("defs", {}, drawn("pattern", { id: "hatched", width: 8, height: 8, patternUnits: "userSpaceOnUse" }, line));
}
