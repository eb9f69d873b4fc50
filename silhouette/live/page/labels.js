// The names of models over their heads, with a sign for how well the selected one sees each, and the ruler's length.
import { apart } from "./apart.js";
import { say } from "./page.js";
import { SIGNS } from "./verdicts.js";

const { lookOf } = window.silhouetteViewer;

const ABOVE = 4; // mm over what is highest
const LAST = 3; // the rank of most names, which may be shortened
const GROUND = 4; // that of terrain, which gives way to all others

export class Labels {
  constructor(holder, app) {
    const { table, tools } = app;
    Object.assign(this, { app, table, tools });
    this.layer = holder.appendChild(document.createElement("div"));
    this.layer.className = "labels";
    this.layer.setAttribute("aria-hidden", "true");
    this.measure = this.layer.appendChild(document.createElement("span"));
    this.measure.className = "length";
    this.known = new Map();
    this.short = new Set(); // whose names have no room
    this.sizes = new Map();
    for (const one of app.views.all) one.drawn = () => (app.questions.placed(), this.placed());
    this.#fitted();
    new ResizeObserver(() => (this.#fitted(), this.placed())).observe(this.layer);
  }

  #fitted() {
    this.room = { width: this.layer.clientWidth, height: this.layer.clientHeight };
    this.sizes.clear();
  }

  // Which names are shown, and what stands before them.
  named() {
    const { table, tools, app } = this;
    const flat = app.view !== app.views.deep; // a plan names terrain too, of which nothing else tells what it is
    const shown = table.pieces.filter(({ name, kind }) => flat || kind !== "terrain" || name === table.selected || name === tools.hover);
    const names = new Set(shown.map(({ name }) => name));
    for (const [name, { label, stem }] of this.known) {
      if (names.has(name)) continue;
      label.remove();
      stem.remove();
      this.known.delete(name);
    }
    for (const { name, gang, kind } of shown) {
      const known = this.known.get(name) || this.#label(name);
      const { label } = known;
      const row = table.row([table.selected, name]);
      const part = name === table.selected ? "selected" : table.chosen?.includes(name) ? "chosen" : "";
      const look = `label ${part} ${kind === "terrain" ? "terrain" : ""} ${lookOf(table.models, gang)?.className || ""}`;
      if (label.className !== look) label.className = look;
      known.sign = row ? SIGNS[table.levels[row.verdict]] || "" : "";
      known.text = known.sign ? `${known.sign} ${name}` : name;
    }
    this.placed();
  }

  #label(name) {
    const stem = this.layer.appendChild(document.createElement("i"));
    const label = this.layer.appendChild(document.createElement("span"));
    label.dataset.name = name;
    this.known.set(name, { label, stem });
    return this.known.get(name);
  }

  // Where they are, after each picture.
  placed() {
    const { app, table, tools } = this;
    if (this.pointed !== tools.hover) {
      this.first = this.short.has(tools.hover) ? tools.hover : null;
      this.pointed = tools.hover;
    }
    const names = [];
    for (const [name, known] of this.known) {
      const { label, stem, text, sign } = known;
      const piece = table.piece(name);
      const at = piece && app.view.project([...this.#place(table.shown(piece)), app.view.top(name) + ABOVE]);
      label.hidden = !at?.shown;
      stem.hidden ||= label.hidden;
      if (label.hidden) continue;
      const rank = this.#rank(name);
      const brief = rank === LAST ? this.#size(label, sign, true).width : 0;
      names.push({ name, ...known, ...at, rank, ...this.#size(label, text), brief });
    }
    names.sort((one, other) => one.rank - other.rank || other.y - one.y || one.x - other.x);
    const length = this.#measured();
    const places = apart(names, [...(length ? [length] : []), ...app.questions.boxes], this.room);
    names.forEach((one, index) => stand(one, places[index]));
    this.short = new Set(names.filter((_, index) => places[index]?.brief !== false).map(({ name }) => name));
  }

  // Who chooses first where names are close together: those whom one looks at, then those in front.
  #rank(name) {
    const { table } = this;
    if (name === table.selected) return 0;
    if (table.chosen?.includes(name)) return 1;
    return name === this.first ? 2 : table.piece(name)?.kind === "terrain" ? GROUND : LAST;
  }

  // Over what a name stands: the place of a model, and the middle of terrain.
  #place(piece) {
    const outline = piece.kind === "terrain" ? this.table.shapes.outline(piece) : [];
    if (!outline.length) return piece.at.slice(0, 2);
    return [0, 1].map((axis) => outline.reduce((sum, point) => sum + point[axis], 0) / outline.length);
  }

  // How large a text is, px. Texts are measured once: asking for a size holds up the picture.
  #size(label, text, brief = false) {
    if (!text) return { width: 0, height: 0 };
    const look = `${label.className} ${brief} ${text}`;
    if (!this.sizes.has(look)) {
      said(label, text, brief);
      const { width, height } = label.getBoundingClientRect();
      this.sizes.set(look, { width: Math.ceil(width), height: Math.ceil(height) });
    }
    return this.sizes.get(look);
  }

  // The length of the ruler, in the middle of it: the box that it covers, px.
  #measured() {
    const { measure, room } = this;
    const { from, to, text } = this.tools.ruler;
    const at = to && this.app.view.project(from.map((value, axis) => (value + to[axis]) / 2));
    measure.hidden = !at?.shown;
    if (measure.hidden) return null;
    say(measure, text);
    const { width, height } = this.#size(measure, text);
    const x = Math.min(Math.max(at.x, width / 2), room.width - width / 2);
    const y = Math.max(at.y, height);
    measure.style.transform = put(x, y);
    return { left: x - width / 2, right: x + width / 2, top: y - height, bottom: y };
  }
}

const put = (x, y) => `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;

function said(label, text, brief) {
  say(label, text);
  label.dataset.brief = String(brief);
}

function stand({ label, stem, text, sign, x, y }, place) {
  label.hidden = !place;
  stem.hidden = !(place?.up > 0);
  if (!place) return;
  const { aside, up, brief } = place;
  said(label, brief ? sign : text, brief);
  label.style.transform = put(x, y);
  label.style.translate = `${aside.toFixed(1)}px ${(-up).toFixed(1)}px`;
  stem.style.transform = put(x, y);
  stem.style.height = `${Math.max(up, 0).toFixed(1)}px`;
}
