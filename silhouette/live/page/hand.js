// What can be done to a piece, whether by pointer, keys or buttons: each is one edit, and one step of undo.
import { wrapped } from "./lengths.js";

const { TURN } = window.silhouetteViewer;
const PAUSE = 700; // ms that part two turns, or two steps by keys

export class Hand {
  constructor(table, tell) {
    this.table = table;
    this.tell = tell;
    this.drags = 0;
    this.last = { key: "", time: 0, drag: "" };
  }

  newDrag() {
    this.drags += 1;
    return `${this.started ?? (this.started = Date.now().toString(36))}-${this.drags}`;
  }

  // The drag that a step belongs to: that of the steps like it just before.
  #series(key) {
    const now = Date.now();
    const drag = this.last.key === key && now - this.last.time < PAUSE ? this.last.drag : this.newDrag();
    this.last = { key, time: now, drag };
    return drag;
  }

  // ``doubt`` is how exactly it stands there, where the place knows that.
  place(name, at, facing, doubt) {
    const piece = this.table.piece(name);
    if (!piece) throw new Error(`there is no piece called ${name}`);
    return { piece: name, at, ...(piece.kind !== "terrain" && { on: "surface" }), ...(facing != null && { facing }), ...(doubt && { doubt }) };
  }

  // While a hand holds it: it follows at once.
  drag(name, at, drag, doubt) {
    this.table.hold(name, { at });
    return this.table.edit([this.place(name, at.map(rounded), null, doubt)], drag);
  }

  step(name, [dx, dy]) {
    const [x, y] = this.table.shown(this.table.piece(name)).at;
    const drag = this.drag(name, [x + dx, y + dy], this.#series(`step ${name}`));
    this.table.let(name);
    return drag;
  }

  turn(name, degrees, snapped, drag = this.#series(`turn ${name}`)) {
    const { table } = this;
    const { facing, ahead } = table.shown(table.piece(name));
    const turned = (facing ?? ahead) + degrees;
    return this.face(name, snapped ? TURN * Math.round(turned / TURN) : turned, drag);
  }

  face(name, degrees, drag) {
    const { table } = this;
    const facing = wrapped(degrees);
    table.hold(name, { facing });
    const done = table.edit([{ piece: name, facing }], drag);
    table.let(name);
    return done;
  }

  floor(name, by) {
    return this.table.edit([{ piece: name, floor: by }]);
  }

  async copy(name) {
    const { table } = this;
    const piece = table.piece(name);
    const known = new Set(table.pieces.map((one) => one.name));
    const across = table.shapes.outline(piece).map(([x]) => x);
    const width = Math.max(...across) - Math.min(...across);
    const way = piece.at[0] + 2.2 * width > table.span[1][0] ? -1 : 1;
    await table.edit([{ copy: name, at: [rounded(piece.at[0] + way * 1.2 * width), piece.at[1]] }]);
    const as = table.pieces.find((one) => !known.has(one.name))?.name;
    table.select(as);
    this.tell(`${as} is a copy of ${name}.`);
  }

  async delete(name) {
    await this.table.edit([{ delete: name }]);
    this.tell(`${name} is deleted. Undo brings it back.`);
  }

  get #busy() {
    return this.table.sending !== null || this.table.queue.length > 0;
  }

  async undo() {
    if (!this.table.canUndo && !this.#busy) return;
    await this.table.change({ do: "undo" });
    this.tell("Undone.");
  }

  async redo() {
    if (!this.table.canRedo && !this.#busy) return;
    await this.table.change({ do: "redo" });
    this.tell("Done again.");
  }

  async save() {
    const answer = await this.table.change({ do: "save" });
    this.table.saved = true;
    this.table.tell("saved", answer);
    return answer;
  }
}

export function rounded(value) {
  return Math.round(value * 100) / 100;
}
