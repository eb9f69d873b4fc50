// The names of models over their heads, with a sign for how well the selected one sees each.
import { SIGNS } from "./verdicts.js";

const ABOVE = 4; // mm over what is highest

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
    for (const one of app.views.all) one.drawn = () => (this.placed(), app.questions.placed());
  }

  // Which names are shown, and what stands before them.
  named() {
    const { table, tools } = this;
    const shown = table.pieces.filter(({ name, kind }) => kind !== "terrain" || name === table.selected || name === tools.hover);
    const names = new Set(shown.map(({ name }) => name));
    for (const [name, label] of this.known) {
      if (names.has(name)) continue;
      label.remove();
      this.known.delete(name);
    }
    for (const { name, gang, kind } of shown) {
      const label = this.known.get(name) || this.#label(name);
      const row = table.results.row([table.selected, name]);
      const part = name === table.selected ? "selected" : table.chosen?.includes(name) ? "chosen" : "";
      const look = `label ${part} ${kind === "terrain" ? "terrain" : ""} ${this.#gang(gang)}`;
      if (label.className !== look) label.className = look;
      const text = row ? `${SIGNS[table.levels[row.verdict]] || ""} ${name}` : name;
      if (label.textContent !== text) label.textContent = text;
    }
    this.placed();
  }

  #label(name) {
    const label = this.layer.appendChild(document.createElement("span"));
    label.dataset.name = name;
    this.known.set(name, label);
    return label;
  }

  #gang(gang) {
    const gangs = [...new Set(this.table.models.map((piece) => piece.gang).filter(Boolean))];
    return gang ? `gang-${gangs.indexOf(gang) % 4}` : "";
  }

  // Where they are, after each picture.
  placed() {
    const { app, table, tools } = this;
    const { view } = app;
    for (const [name, label] of this.known) {
      const piece = table.piece(name);
      if (piece) stand(label, view, [...table.shown(piece).at.slice(0, 2), view.top(name) + ABOVE]);
    }
    const { from, to, text } = tools.ruler;
    this.measure.hidden = !to;
    if (!to) return;
    this.measure.textContent = text;
    stand(this.measure, view, from.map((value, axis) => (value + to[axis]) / 2));
  }
}

function stand(label, view, point) {
  const { x, y, shown } = view.project(point);
  label.hidden = !shown;
  if (shown) label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
}
