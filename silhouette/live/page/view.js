// The table in 3D: pieces, marks, camera. `plan.js` shows the same without WebGL; who uses one can use the other.
import { drawnCells } from "./cells3d.js";
import { CloseLook } from "./close.js";
import { EyePicture } from "./eye.js";
import { framed } from "./framing.js";
import { nearestHit } from "./hits.js";
import { drawnPicture } from "./picture3d.js";
import { Sketch } from "./sketch.js";

const { axesOf, drawnMarks, Pointer, Stage, Viewer, three } = window.silhouetteViewer;

const ANGLE = 35; // degrees upright
const MARGIN = 0.03;
const STEPS = [25.4, 50.8, 127, 254, 508, 1270];
const MOST_LINES = 40;
const FEW = 150_000; // triangles of all pieces, where each takes a processor's time
const UNDER = -0.0015; // of the stage's size: between its ground and its grid lies the picture of a scan
const HIGH = 1e5; // mm over every table
const SIZE = new three.Vector2();
const NONE = { lines: [], areas: [] };

export class View {
  constructor(holder, shapes) {
    this.shapes = shapes;
    this.canvas = holder.appendChild(document.createElement("canvas"));
    this.stage = new Stage();
    this.stage.framed(null);
    this.viewer = new Viewer(this.canvas, this.stage);
    this.pace = this.viewer.pace;
    this.viewer.renderer.debug.checkShaderErrors = false; // asking makes every first picture wait
    this.marks = new three.Group();
    this.stage.scene.add(this.marks);
    this.known = NONE; // the marks that are shown
    this.picture = this.lying = null;
    this.cells = new three.Group();
    this.stage.scene.add(this.cells);
    this.eye = new EyePicture(this);
    this.close = new CloseLook(this, three);
    this.viewer.before = () => this.eye.draw();
    this.pointer = new Pointer(this.viewer);
    this.drawn = () => {};
    this.sketch = new Sketch(holder, this);
    this.pace.told = (drawing) => {
      this.canvas.dataset.drawing = String(drawing);
      if (this.eye.canvas) this.eye.canvas.dataset.waits = String(drawing && this.pace.slow);
    };
    this.pace.done = () => this.#shown();
    this.turns = this.pictured = 0; // how often the camera has moved, and how often before the last picture began
    if (this.pace.slow) shapes.triangles = FEW;
    this.viewer.slowed = () => this.#aside();
    this.viewer.controls.addEventListener("change", () => this.#turned());
    this.viewer.after = () => {
      this.pictured = this.turns;
      if (this.pace.slow) this.sketch.passed();
      this.drawn();
    };
  }

  // Where a plan is shown instead, only what the eye sees is drawn.
  shown(shown) {
    this.canvas.toggleAttribute("hidden", !shown);
    this.sketch.svg.toggleAttribute("hidden", !shown);
    this.viewer.idle = !shown;
  }

  get size() {
    return this.stage.sphere.radius;
  }

  get canColour() {
    return Boolean(this.picture) || this.stage.pieces.some((piece) => piece.coloured);
  }

  // Names and marks follow the camera at once; a slow picture, of where it was before, is pale until it does.
  #turned() {
    this.turns += 1;
    if (!this.pace.slow) return;
    this.canvas.dataset.behind = "true";
    if (this.turning) return;
    this.turning = requestAnimationFrame(() => {
      this.turning = 0;
      this.sketch.draw();
      this.drawn();
    });
  }

  // A picture is done.
  #shown() {
    if (this.pictured === this.turns) this.canvas.dataset.behind = "false";
  }

  // Marks that slow graphics have in their pictures stand beside these instead.
  #aside() {
    drawnMarks(this.marks, NONE, 0, null);
    this.sketch.marked(this.known);
  }

  painted() {
    this.marksAbout = null;
    this.style = getComputedStyle(document.documentElement);
    this.stage.painted(this.style);
    this.viewer.draw();
  }

  // The table's floor and light, once its size is known.
  framed(span) {
    const [[left, near], [right, far]] = span;
    const margin = MARGIN * Math.max(right - left, far - near);
    const across = Math.max(right - left, far - near);
    const step = STEPS.find((one) => across / one <= MOST_LINES) || across / MOST_LINES;
    const wide = [
      [left - margin, near - margin],
      [right + margin, far + margin],
    ];
    this.stage.framed({ height: 0, span: wide, step, whole: true });
    if (this.picture) this.picture.position.z = UNDER * this.size;
    this.about = null;
    this.painted();
  }

  // Pieces as they are shown now; a shape that is not there yet is left out until it comes.
  show(pieces) {
    const { stage } = this;
    const before = new Map(stage.pieces.map((piece) => [piece.name, piece]));
    stage.pieces = [];
    for (const one of pieces) {
      const shape = this.shapes.known.get(one.shape);
      if (!shape) continue;
      if (!stage.shapes.has(one.shape)) stage.shaped(one.shape, shape);
      const known = before.get(one.name);
      if (known && known.shape === one.shape && known.kind === one.kind) {
        before.delete(one.name);
        if (known.pose.some((value, index) => value !== one.pose[index])) {
          stage.moved(known, one.pose);
          this.pace.moved();
        }
        stage.pieces.push(known);
      } else {
        stage.pieces.push(stage.placed(one));
      }
    }
    for (const gone of before.values()) stage.removed(gone);
  }

  // Who looks at whom: the target in the colours of what is seen, with the eye of the attacker, and what is in the way.
  looking(view) {
    const { stage } = this;
    const about = JSON.stringify([view, stage.pieces.map(({ name, pose }) => [name, pose])]);
    if (about === this.about) return;
    this.about = about;
    const number = (name) => stage.pieces.findIndex((piece) => piece.name === name);
    const ready = view && number(view.attacker) >= 0 && stage.pieces[number(view.target)]?.mesh;
    const numbers = (names) => names.map(number).filter((index) => index >= 0);
    stage.chosen(
      ready
        ? {
            ...view,
            attacker: number(view.attacker),
            target: number(view.target),
            blockers: numbers(view.blockers),
            aside: numbers(view.aside),
            measured: true,
            lines: [],
          }
        : null,
    );
    this.viewer.changed();
  }

  marked(marks) {
    const about = JSON.stringify(marks);
    if (about === this.marksAbout) return;
    this.marksAbout = about;
    this.known = marks;
    if (this.pace.slow) {
      this.sketch.marked(marks);
      return;
    }
    drawnMarks(this.marks, marks, this.size, this.style);
    this.viewer.draw();
  }

  mapped(cells) {
    drawnCells(this.cells, cells, three);
    this.viewer.draw();
  }

  // The picture of a scan from above lies on the floor.
  underlaid(above) {
    const { stage } = this;
    if (this.lying === above) return;
    this.lying = above;
    if (this.picture) {
      stage.scene.remove(this.picture);
      this.picture.geometry.dispose();
      this.picture.material.map.dispose();
      this.picture.material.dispose();
    }
    this.picture = above && drawnPicture(above, three, () => this.viewer.draw());
    if (this.picture) {
      this.picture.visible = stage.own;
      this.picture.position.z = UNDER * this.size;
      stage.scene.add(this.picture);
    }
    this.viewer.draw();
  }

  coloured(own) {
    this.stage.own = own;
    if (this.picture) this.picture.visible = own;
    this.stage.chosen(this.stage.view);
    this.viewer.changed();
  }

  draw() {
    this.viewer.draw();
  }

  // What is at a place of the window: the name of a piece, and the point that is hit; of the floor the name is null.
  at(x, y) {
    const hit = nearestHit(this.pointer.at(x, y), this.stage.pieces);
    if (hit) return hit;
    const point = this.ground(x, y, 0);
    return point && { name: null, point };
  }

  // The point of a level plane at a place of the window; null above the horizon.
  ground(x, y, height) {
    return this.pointer.ground(x, y, height);
  }

  // How high the highest surface is at a point of the table.
  surface(x, y) {
    const { caster } = this.pointer;
    caster.set(new three.Vector3(x, y, HIGH), new three.Vector3(0, 0, -1));
    return nearestHit(caster, this.stage.pieces)?.point[2] ?? 0;
  }

  // Where a point of the table is in the view, in CSS pixels from its corner.
  project(point) {
    const { x: wide, y: high } = this.viewer.renderer.getSize(SIZE);
    const at = new three.Vector3(...point).project(this.viewer.camera);
    const shown = Math.max(Math.abs(at.x), Math.abs(at.y), Math.abs(at.z)) < 1;
    return { x: (wide * (1 + at.x)) / 2, y: (high * (1 - at.y)) / 2, shown };
  }

  // Where a point of the table is in the window, and how far from the camera: [x, y, away].
  place(point) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const { x, y } = this.project(point);
    return [left + x, top + y, this.viewer.camera.position.distanceTo(new three.Vector3(...point))];
  }

  near(name) {
    return this.close.near(name);
  }

  proposed(some) {
    this.close.proposed(some);
  }

  portrait(name, size, points) {
    return this.close.portrait(name, size, points);
  }

  // How high a piece reaches.
  top(name) {
    const piece = this.stage.pieces.find((one) => one.name === name);
    return piece ? piece.body.max.z : 0;
  }

  // The directions of the table that are rightmost and upmost in the view, among +x, +y, -x, -y.
  axes() {
    return axesOf(this.viewer);
  }

  steered(can) {
    this.viewer.controls.enabled = can;
  }

  whole(moving = true) {
    const wide = this.viewer.camera.aspect > 0.9;
    this.#from(wide ? [-0.12, -1, 1.05] : [0, -0.8, 1.25], moving);
  }

  above() {
    this.#from([0, -0.001, 1], true);
  }

  // The floor and everything on it, seen from a direction.
  #from(direction, moving) {
    const points = [];
    const { min, max } = this.stage.box;
    for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) points.push([x, y, 0]);
    for (const { body } of this.stage.pieces) {
      for (const x of [body.min.x, body.max.x]) for (const y of [body.min.y, body.max.y]) points.push([x, y, body.max.z]);
    }
    const { target, position } = framed(points, direction, this.viewer.camera, ANGLE, three);
    this.viewer.go(position, target, ANGLE, moving);
  }

  nearer() {
    this.viewer.nearer();
  }

  farther() {
    this.viewer.farther();
  }

  turned(left, up) {
    this.viewer.turned(left, up);
  }
}
