// Over a picture that waits, where graphics are slow: the marks, and outlines of what has moved since that picture.
import { outermost } from "./hulls.js";
import { drawn, drawnFlat, pathOf } from "./svg.js";

const { hullOf } = window.silhouetteViewer;

export class Sketch {
  constructor(holder, view) {
    this.view = view;
    this.marks = { lines: [], areas: [] };
    this.lines = drawn("g");
    this.moved = drawn("g");
    this.svg = drawn("svg", { class: "sketch", "aria-hidden": "true" }, this.moved, this.lines);
    holder.append(this.svg);
    this.pictured = new Map();
    this.points = new Map();
  }

  // A picture was drawn: nothing has moved since.
  passed() {
    this.pictured = new Map(this.view.stage.pieces.map(({ name, pose }) => [name, pose]));
    this.draw();
  }

  marked(marks) {
    this.marks = marks;
    this.draw();
  }

  draw() {
    const { stage } = this.view;
    const ahead = stage.pieces.filter(({ name, pose }) => {
      const before = this.pictured.get(name);
      return before && pose.some((value, index) => value !== before[index]);
    });
    this.moved.replaceChildren(...ahead.map((piece) => drawn("path", { d: pathOf(this.#outline(piece)), class: "moved" })));
    const clipped = {
      lines: this.marks.lines.flatMap((line) => this.#before(line.points).map((points) => ({ ...line, points }))),
      areas: this.marks.areas.filter(({ outline, height }) => outline.every(([x, y]) => this.#depth([x, y, height]) > 0)),
    };
    this.lines.replaceChildren(...drawnFlat(clipped, (point) => this.#flat(point)));
  }

  // How far a point lies beyond the nearest that the camera sees.
  #depth([x, y, z]) {
    const { camera } = this.view.viewer;
    const [, , , , , , , , ax, ay, az] = camera.matrixWorld.elements; // backwards
    const { x: px, y: py, z: pz } = camera.position;
    return -(ax * (x - px) + ay * (y - py) + az * (z - pz)) - camera.near;
  }

  // The parts of a line that lie before the camera.
  #before(points) {
    const parts = [];
    const depths = points.map((point) => this.#depth(point));
    points.forEach((point, index) => {
      const crossing = index > 0 && depths[index] > 0 !== depths[index - 1] > 0;
      if (crossing) {
        const share = depths[index - 1] / (depths[index - 1] - depths[index]);
        const at = point.map((value, axis) => points[index - 1][axis] + share * (value - points[index - 1][axis]));
        if (depths[index] > 0) parts.push([at]);
        else parts.at(-1).push(at);
      }
      if (depths[index] <= 0) return;
      if (!parts.length) parts.push([]);
      parts.at(-1).push(point);
    });
    return parts.filter((part) => part.length > 1);
  }

  #flat(point) {
    const { x, y } = this.view.project(point);
    return [x, y];
  }

  #outline({ shape, pose }) {
    if (!this.points.has(shape)) this.points.set(shape, outermost(this.view.shapes.known.get(shape)));
    const placed = ([x, y, z]) => [0, 4, 8].map((row) => pose[row] * x + pose[row + 1] * y + pose[row + 2] * z + pose[row + 3]);
    return hullOf(this.points.get(shape).map((point) => this.#flat(placed(point))));
  }
}
