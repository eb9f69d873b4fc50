// The shelf: models that are put on the table by a drag, by a click here and one there, or by keys; and what lies under them.
import { freeName } from "./handing.js";
import { byId, made, say } from "./page.js";
import { inches } from "./lengths.js";

const { inside } = window.silhouetteViewer;

const STILL = 5; // px that a press may move and still be a click
const REACH = 8; // mm within which a base that the scan shows draws a figure to it
const TAKEN = 0.4; // of a base's diameter: nearer to its middle somebody stands on it
const WIDEST = 62; // mm: terrain that a scan has made of no more than that may be a figure which it did not know
const RADIUS = 16; // mm, of the ring where nobody knows how wide a base is
const HINT = "Click where it stands; or arrows and Enter, Tab for the next base that the scan shows, Esc to leave it.";

export class Shelf {
  constructor(app) {
    Object.assign(this, { app, models: [], bases: [], doubt: null, above: null, placing: null, asked: -1 });
    byId("shelf").addEventListener("toggle", () => byId("shelf").open && this.#fetched());
    app.table.heard("opened", () => this.#opened());
    app.table.heard("pieces", () => this.#counted());
  }

  #opened() {
    const { table } = this.app;
    this.cancel();
    Object.assign(this, { models: [], bases: [], above: null, asked: -1 });
    this.drawn();
    byId("shelf").hidden = table.looks;
    if (!table.looks && (table.scanned || byId("shelf").open)) this.#fetched();
  }

  // Once for each scene: files that come later are added by themselves.
  async #fetched() {
    const { app } = this;
    if (this.asked === app.table.opening) return;
    this.asked = app.table.opening;
    try {
      const { models, bases, doubt, above } = await app.table.connection.ask({ do: "shelf" });
      Object.assign(this, { models, bases, doubt, above });
      this.#listed();
      this.drawn();
      app.redraw();
    } catch (error) {
      if (!error.lost) app.tell(`The shelf did not come: ${error.message}`, true);
    }
  }

  // The picture of the scan lies under what is shown from above.
  drawn() {
    for (const view of this.app.views.all) view.underlaid(this.above);
  }

  #listed() {
    byId("shelf-models").replaceChildren(...this.models.map((model) => this.#chip(model)));
    this.#counted();
    const { models, scanned } = this.app.table;
    if (this.models.some(({ missing }) => missing) || (scanned && !models.length)) byId("shelf").open = true;
  }

  #counted() {
    const names = new Set(this.app.table.pieces.map(({ name }) => name));
    const missing = this.models.filter((model) => model.missing && !names.has(model.name)).length;
    const none = byId("shelf").open && this.asked >= 0 && !this.models.length;
    const words = missing ? `${missing === 1 ? "1 was" : `${missing} were`} not found in the scan: put ${missing === 1 ? "it" : "them"} where they stand.` : "";
    say(byId("shelf-told"), none ? "No meshes lie beside the scene." : words || "Drag one onto the table, or click it and then its place.");
    for (const chip of byId("shelf-models").querySelectorAll("button")) {
      const { model } = chip.parentElement;
      chip.querySelector("small").hidden = !model.missing || names.has(model.name);
    }
  }

  #chip(model) {
    const kind = model.kind === "fighter" ? "" : ` (${model.kind})`;
    const grip = made("span", { className: "grip", ariaHidden: "true" }, "⠿");
    const button = made("button", { type: "button", ariaPressed: "false" }, grip, `${model.name}${kind}`, made("small", { hidden: !model.missing }, "not found"));
    const chip = Object.assign(made("li", {}, button), { model });
    button.addEventListener("pointerdown", (event) => this.#pressed(event, model, button));
    button.addEventListener("pointermove", (event) => this.#dragged(event));
    for (const type of ["pointerup", "pointercancel"]) button.addEventListener(type, (event) => this.#released(event));
    button.addEventListener("click", (event) => event.detail === 0 && this.#begin(model, true)); // by a key
    return chip;
  }

  #pressed(event, model, button) {
    if (event.button !== 0) return;
    button.setPointerCapture(event.pointerId);
    this.press = { model, from: [event.clientX, event.clientY], dragging: false };
  }

  #dragged({ clientX: x, clientY: y, altKey }) {
    const { press } = this;
    if (!press) return;
    if (!press.dragging && Math.hypot(x - press.from[0], y - press.from[1]) > STILL) {
      press.dragging = true;
      this.#begin(press.model, false);
    }
    if (press.dragging) this.follow(this.#over(x, y), altKey);
  }

  #released(event) {
    const { press } = this;
    this.press = null;
    if (!press) return;
    if (!press.dragging) {
      if (event.type === "pointerup") this.#begin(press.model, true);
    } else if (event.type === "pointerup" && this.#over(event.clientX, event.clientY)) this.put();
    else this.cancel();
  }

  // The point of the table at a place of the window; null beside it.
  #over(x, y) {
    const { left, top, right, bottom } = byId("table").getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) return null;
    return this.app.view.at(x, y)?.point || null;
  }

  #begin(model, waits) {
    const { app } = this;
    if (app.tools.ruler.on) app.tools.ruler.toggle();
    this.placing = { model, at: null, base: null };
    this.#pressedChips();
    if (!waits) return;
    byId("table").focus({ preventScroll: true });
    byId("table").scrollIntoView({ block: "nearest" });
    app.tell(`${model.name}: ${HINT}`, true);
  }

  #pressedChips() {
    for (const chip of byId("shelf-models").children) {
      chip.firstChild.setAttribute("aria-pressed", String(chip.model === this.placing?.model));
    }
    byId("table").dataset.placing = String(Boolean(this.placing));
    this.app.redraw();
  }

  cancel() {
    this.placing = null;
    this.#pressedChips();
  }

  // Bases that the scan shows, on which nobody stands, or only the piece of this name.
  free(name = null) {
    const { table } = this.app;
    const others = table.models.filter((model) => model.name !== name).map((model) => table.shown(model).at);
    return this.bases.filter(({ at, diameter }) => others.every(([x, y]) => Math.hypot(x - at[0], y - at[1]) > TAKEN * diameter));
  }

  // The free base next to a place, if it is near enough to draw a figure to it.
  base([x, y], name = null) {
    const away = ({ at }) => Math.hypot(x - at[0], y - at[1]);
    const [nearest] = this.free(name).sort((one, other) => away(one) - away(other));
    return nearest && away(nearest) <= REACH ? nearest : null;
  }

  follow(point, apart = false) {
    const { placing } = this;
    if (!placing) return;
    placing.base = point && placing.model.kind === "fighter" && !apart ? this.base(point) : null;
    placing.at = placing.base ? placing.base.at : point;
    this.app.redraw();
  }

  get mark() {
    const { placing } = this;
    return placing && { at: placing.at, radius: (placing.base?.diameter || 2 * RADIUS) / 2, snapped: Boolean(placing.base), bases: placing.model.kind === "fighter" ? this.free() : [] };
  }

  async put() {
    const { app, placing } = this;
    if (!placing?.at) return;
    const { model: { name: like, kind, missing, ...file }, at: [x, y], base } = placing;
    this.cancel();
    const name = freeName(like, app.table.pieces);
    const at = [x, y].map((value) => Math.round(value * 100) / 100);
    try {
      await app.table.edit([{ add: kind, name, at, ...file, ...(base && { doubt: this.doubt }) }]);
    } catch {
      return; // told by the table
    }
    app.table.select(name);
    byId("table").focus({ preventScroll: true });
    const words = `${name} stands at ${inches(x)}, ${inches(y)}${base ? ", on a base that the scan shows" : ""}. ${placedWords(app.table.piece(name))}`;
    const under = app.table.scanned && kind !== "terrain" ? this.#under(at) : null;
    app.tell(`${words}${under ? ` It stands on ${under}: if that is what was scanned of ${name}, delete ${under}.` : ""}`.trim(), true);
  }

  // The name of terrain at a place that is no wider than a figure.
  #under(at) {
    const { table } = this.app;
    const wide = (points, axis) => Math.max(...points.map((point) => point[axis])) - Math.min(...points.map((point) => point[axis]));
    const found = table.pieces.find((piece) => {
      const outline = piece.kind === "terrain" ? table.shapes.outline(table.shown(piece)) : [];
      return outline.length > 2 && wide(outline, 0) <= WIDEST && wide(outline, 1) <= WIDEST && inside(at, outline);
    });
    return found?.name || null;
  }

  // By keys: moves it over the table, at the height of what is there.
  step(dx, dy) {
    const [[left, near], [right, far]] = this.app.table.span;
    const [x, y] = this.placing.at || [(left + right) / 2, (near + far) / 2];
    const at = [Math.min(Math.max(x + dx, left), right), Math.min(Math.max(y + dy, near), far)];
    this.follow([...at, this.app.view.surface(...at)], true);
  }

  // By keys: the next base that the scan shows.
  next(by) {
    const free = this.free();
    if (!free.length) return;
    const at = free.indexOf(this.placing.base);
    this.follow(free[at < 0 ? (by > 0 ? 0 : free.length - 1) : (at + by + free.length) % free.length].at);
    this.app.tell(`On a base of ${this.placing.base.diameter.toFixed(0)} mm.`);
  }
}

const BY_HAND = { place: 5, facing: 10 }; // mm and degrees: what the table says of figures that were put there by eye

// How exactly a figure stands, in words; empty where nobody has said it.
export function placedWords({ doubt }) {
  if (!doubt) return "";
  const byEye = doubt.place === BY_HAND.place && doubt.facing === BY_HAND.facing ? "It was placed by hand. " : "";
  const parts = [doubt.place === null ? "" : `stand ${doubt.place} mm`, doubt.facing === null ? "" : `face ${doubt.facing}°`];
  const words = parts.filter(Boolean).join(" and ");
  return words ? `${byEye}It may ${words} off, give or take.` : "";
}
