// What is said of a model by clicking it: where its eye is, how wide its base, which parts do not count.
import { rounded } from "./hand.js";
import { byId } from "./page.js";

const ASKED = {
  eye: "Click the head, where the eye is.",
  part: "Click the part that does not count.",
  box: "Drag a box round what does not count.",
  base: "Click the rim of the base.",
};
const ROOM = 0.05; // mm round what a box was drawn round
const UNIT = [1e-9, 1e-9, 1e-9];

export class Tagging {
  constructor(app) {
    this.app = app;
    this.kind = null;
    for (const kind of Object.keys(ASKED)) byId(`tag-${kind}`).addEventListener("click", () => this.begin(kind));
  }

  begin(kind) {
    const { app } = this;
    this.kind = this.kind === kind ? null : kind;
    this.name = app.table.selected;
    this.#pressed();
    if (this.kind) app.tell(ASKED[kind], true);
  }

  #pressed() {
    for (const kind of Object.keys(ASKED)) byId(`tag-${kind}`).setAttribute("aria-pressed", String(this.kind === kind));
    byId("table").dataset.ruler = String(Boolean(this.kind));
  }

  end() {
    this.kind = null;
    this.#pressed();
  }

  // The press that a gesture begins with: a box is drawn, everything else is one click.
  clicked(hit) {
    if (hit?.name !== this.name) {
      this.app.tell(`That is not ${this.name}.`, true);
      return;
    }
    const point = this.#inShape(hit.point);
    const edits = {
      eye: { eye: point },
      part: { part_at: point },
      base: { base: { diameter: rounded(2 * Math.hypot(point[0], point[1])) } },
    };
    this.#said(edits[this.kind]);
  }

  boxed(from, to) {
    const box = this.app.view.within(this.name, from, to);
    if (!box) {
      this.app.tell(`Nothing of ${this.name} lies in that box.`, true);
      return;
    }
    const [low, high] = box;
    const corners = [low.map((value) => rounded(value - ROOM)), high.map((value) => rounded(value + ROOM))];
    this.#said({ box: corners });
  }

  async #said(tag) {
    const { app, name } = this;
    this.end();
    try {
      await app.table.edit([{ tag: name, ...tag }]);
      app.tell(`${name} and all models of the same file are changed. Undo takes it back.`, true);
    } catch {
      app.redraw(); // why not was told already
    }
  }

  // A point of the table in the frame of the shape.
  #inShape(point) {
    const { pose } = this.app.table.piece(this.name);
    const away = point.map((value, axis) => value - pose[4 * axis + 3]);
    return UNIT.map((_, axis) => rounded([0, 1, 2].reduce((sum, row) => sum + pose[4 * row + axis] * away[row], 0)));
  }
}
