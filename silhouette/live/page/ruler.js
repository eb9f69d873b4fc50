// The ruler between two points of the table: by a drag, by two clicks, or by keys that move one end.
import { INCH, inches } from "./lengths.js";
import { byId } from "./page.js";

const HINT = "Drag from one point of the table to another, or click both; or Enter, arrows, Enter.";

export class Ruler {
  constructor(app) {
    this.app = app;
    this.on = false;
    this.done = () => {};
    this.#cleared();
    byId("ruler").addEventListener("click", () => this.toggle());
    app.table.heard("selected", ({ changed }) => changed && this.#reached());
  }

  #cleared() {
    Object.assign(this, { from: null, to: null, text: "", told: "", open: false, second: false, cursor: null });
  }

  // On, the table has the focus, so that keys move the ends.
  toggle(hint = HINT) {
    this.on = !this.on;
    this.#cleared();
    byId("ruler").setAttribute("aria-pressed", String(this.on));
    const holder = byId("table");
    holder.dataset.ruler = String(this.on);
    if (this.on) {
      holder.focus({ preventScroll: true });
      this.app.tell(hint, true);
    }
    this.app.redraw();
  }

  // Whether both ends are set.
  get whole() {
    return Boolean(this.to) && !this.open;
  }

  // A press sets the first end, or the second where the first one waits for it.
  press(point) {
    this.second = this.open;
    this.cursor = null;
    if (this.open) this.follow(point);
    else this.#begin(point);
  }

  #begin(from) {
    Object.assign(this, { from, to: null, told: "", open: true });
    this.app.redraw();
  }

  // The open end is at a point for now.
  follow(to) {
    const plan = Math.hypot(to[0] - this.from[0], to[1] - this.from[1]);
    const air = Math.hypot(plan, to[2] - this.from[2]);
    this.to = to;
    this.text = air - plan > 1 ? `${inches(plan)} (${inches(air)} in the air)` : inches(plan);
    this.app.redraw();
  }

  // A press that has moved draws all of it; a click waits for another.
  release(moved) {
    if (this.second || moved) this.#end();
    else this.app.tell("Now the other end.", true);
  }

  // What a press began is not meant.
  drop() {
    if (!this.second) this.#cleared();
    this.app.redraw();
  }

  #end() {
    Object.assign(this, { open: false, second: false, told: `${this.text}.` });
    this.app.redraw();
  }

  // By keys: sets an end at the cursor.
  put() {
    if (!this.open) {
      const at = this.#cursor;
      this.#begin(at);
      Object.assign(this, { cursor: at, told: `The ruler begins at ${this.#place(at)}.` });
      return;
    }
    if (!this.cursor) this.cursor = this.to || this.from;
    this.follow(this.cursor);
    this.#end();
    this.done();
  }

  // By keys: moves the cursor over the table, at the height of what is there.
  step(dx, dy) {
    const [x, y] = this.#cursor;
    const { view, table } = this.app;
    const [[left, near], [right, far]] = table.span;
    const at = [Math.min(Math.max(x + dx, left), right), Math.min(Math.max(y + dy, near), far)];
    this.#moved([...at, view.surface(...at)]);
  }

  raise(by) {
    const [x, y, z] = this.#cursor;
    this.#moved([x, y, Math.max(z + by, 0)]);
  }

  // Keys go on from the open end, or the selected piece, or the middle of the table.
  get #cursor() {
    if (this.cursor || this.to || this.from) return this.cursor || this.to || this.from;
    const { table, view } = this.app;
    const piece = table.selected && table.piece(table.selected);
    if (piece) return table.shown(piece).at;
    const middle = [0, 1].map((axis) => (table.span[0][axis] + table.span[1][axis]) / 2);
    return [...middle, view.surface(...middle)];
  }

  #moved(point) {
    this.cursor = point;
    if (this.open) this.follow(point);
    this.told = this.open ? `${this.text}.` : `At ${this.#place(point)}.`;
    this.app.redraw();
  }

  // A piece that is selected has the cursor, or the open end.
  #reached() {
    const { table } = this.app;
    const piece = this.on && table.selected && table.piece(table.selected);
    if (!piece) return;
    this.#moved(table.shown(piece).at);
    if (this.open) this.told = `${this.text} to ${piece.name}.`;
  }

  #place([x, y, z]) {
    return `${inches(x)}, ${inches(y)}${z > 0.02 * INCH ? `, ${inches(z)} up` : ""}`;
  }
}
