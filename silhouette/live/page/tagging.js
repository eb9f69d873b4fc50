// What is said of a model by clicking it: where its eye is, its base, which parts do not count; and all of it in numbers.
import { boxSeenIn, edgesOf, rimAt, trianglesIn } from "./boxes.js";
import { Evidence } from "./evidence.js";
import { rounded } from "./hand.js";
import { byId, made, say } from "./page.js";
import { Fields, named } from "./tag_fields.js";

const ASKED = {
  base: "Click the rim of its base.",
  eye: "Click its head, where the eye is.",
  part: "Click a part that does not count.",
  box: "Draw a box round what does not count.",
};
const DONE = {
  base: "The base is set.",
  eye: "The eye is set.",
  part: "The part is left out.",
  box: "What is in the box is left out.",
};

export class Tagging {
  constructor(app) {
    Object.assign(this, { app, kind: null, name: null, said: null, box: null, drawn: null, asking: 0, nearing: false });
    this.evidence = new Evidence(app);
    this.fields = new Fields((kind) => this.#typed(kind));
    for (const kind of Object.keys(ASKED)) byId(`tag-${kind}`).addEventListener("click", () => this.begin(kind));
    byId("tags").addEventListener("toggle", () => this.#toggled());
    byId("tag-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#taken();
    });
    byId("tag-cancel").addEventListener("click", () => this.begin(null));
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.kind) return;
      event.stopPropagation();
      const { kind } = this;
      this.begin(null);
      byId(`tag-${kind}`).focus();
    }, true);
    app.table.heard("pieces", () => this.#asked());
  }

  // The piece that is looked at closely; null while nothing is said of any.
  get piece() {
    const { table } = this.app;
    return byId("tags").open && table.selected ? table.piece(table.selected) : null;
  }

  #toggled() {
    const { app } = this;
    this.begin(null);
    this.said = null;
    if (!this.piece) app.view.whole();
    this.nearing = Boolean(this.piece);
    this.#asked();
    app.redraw();
  }

  // The camera goes to the piece once its shape is there.
  shown() {
    if (this.nearing && this.piece) this.nearing = !this.app.view.near(this.piece.name);
  }

  // Another piece was selected, or none.
  end() {
    if (!this.piece) byId("tags").open = false;
    this.begin(null);
    this.said = null;
    this.nearing = Boolean(this.piece);
    this.#asked();
  }

  begin(kind) {
    const { app } = this;
    this.kind = this.kind === kind ? null : kind;
    this.name = app.table.selected;
    this.proposed(null);
    for (const one of Object.keys(ASKED)) byId(`tag-${one}`).setAttribute("aria-pressed", String(this.kind === one));
    if (this.kind && app.tools.ruler.on) app.tools.ruler.toggle();
    byId("table").dataset.ruler = String(Boolean(this.kind) || app.tools.ruler.on);
    byId("tag-form").hidden = !this.kind;
    if (!this.kind) return;
    this.fields.shown(this.kind, this.said, app.table.shapes.known.get(this.piece?.shape));
    app.tell(ASKED[kind], true);
    say(byId("tag-asked"), `${ASKED[kind]} Or write it here, in mm${kind === "base" ? "" : " from the middle of the base"}:`);
  }

  // What is known of the model by now.
  async #asked() {
    const { piece, app } = this;
    if (!piece) return;
    const asking = (this.asking += 1);
    try {
      const said = await app.table.connection.ask({ do: "tags", piece: piece.name });
      if (asking !== this.asking || this.piece?.name !== piece.name) return;
      this.said = said;
      this.#listed();
      if (this.kind && !this.box) this.fields.shown(this.kind, said, app.table.shapes.known.get(piece.shape));
    } catch {
      // it is gone by now, or the connection is: that is told elsewhere
    }
  }

  #listed() {
    const { insignificant, parts, file } = this.said;
    byId("tag-part").disabled = !parts.length;
    byId("tag-part").title = parts.length ? "" : "Its mesh is in one part";
    say(byId("left-out-title"), insignificant.length ? "Left out" : "Every part of it counts, but for the base.");
    byId("left-out").replaceChildren(...insignificant.map((one, index) => this.#left(one, index)));
    say(byId("tags-into"), `It holds for all models of this file. Saving writes it into ${file}.`);
  }

  #left(one, index) {
    const again = made("button", { type: "button" }, "Count it again");
    again.setAttribute("aria-label", `Count ${named(one)} again`);
    again.addEventListener("click", () => {
      const kept = this.said.insignificant.filter((_, other) => other !== index);
      this.#edited({ insignificant: kept }, `${named(one)} counts again.`).then(() => byId("tag-box").focus());
    });
    return made("li", {}, made("span", {}, named(one)), again);
  }

  // A click on the table, while something is to be clicked.
  clicked(hit) {
    const { app, kind } = this;
    if (hit?.name !== this.name) {
      app.tell(`That is not ${this.name}.`, true);
      return;
    }
    const shape = app.table.shapes.known.get(this.piece.shape);
    const point = inShape(app.table.piece(this.name).pose, hit.point).map(rounded);
    if (this.#flat && kind === "part") {
      app.tell("A plan does not show which part it is: choose it from the list.", true);
      return;
    }
    if (this.#flat) point[2] = kind === "eye" ? this.said.eye[2] : (this.said.base?.height ?? 3);
    const { height, diameter } = rimAt(shape, point);
    const tags = { eye: { eye: point }, part: { part_at: point }, base: { base: { height: rounded(height), diameter: rounded(diameter) } } };
    this.#edited(tags[kind], DONE[kind]);
  }

  // Whether a plan is shown, in which nothing has a height.
  get #flat() {
    return this.app.view !== this.app.views.deep;
  }

  // A rectangle that was drawn in the window: what it takes in is shown before it is left out.
  boxed(from, to) {
    const { app, piece } = this;
    this.drawn = [from, to];
    const shape = app.table.shapes.known.get(piece.shape);
    const placed = (point) => app.view.place(inTable(piece.pose, point));
    const box = boxSeenIn(shape, placed, this.drawn, this.fields.through || this.#flat);
    if (box) this.fields.box = box.map((corner) => corner.map(rounded));
    this.proposed(box && this.fields.box);
    if (!box) app.tell(`Nothing of ${piece.name} that counts lies in that box.`, true);
  }

  // Shows what a box would leave out.
  proposed(box) {
    const { app } = this;
    this.box = box;
    if (!box) this.drawn = null;
    const { piece } = this;
    const shape = piece && app.table.shapes.known.get(piece.shape);
    const inside = box && shape ? trianglesIn(shape, box) : null;
    app.view.proposed(inside && { name: piece.name, corners: inside.corners });
    app.tools.box = inside && edgesOf(box).map((edge) => edge.map((point) => inTable(piece.pose, point)));
    app.redraw();
    if (!inside) return;
    const share = Math.round(100 * inside.share);
    const words = inside.corners.length ? `The orange part, ${share || "less than 1"} % of its triangles, would be left out.` : "Nothing lies in this box.";
    say(byId("tag-asked"), words);
    app.tell(words);
  }

  #typed(kind) {
    if (kind === "through" && this.drawn) this.boxed(...this.drawn);
    else if (kind === "box") this.proposed(this.fields.box);
  }

  #taken() {
    const { kind, fields } = this;
    const tag = fields.tag(kind);
    if (!tag) return;
    const kept = this.said?.insignificant || [];
    this.#edited(tag.left ? { insignificant: [...kept, tag.left] } : tag, DONE[kind]);
  }

  async #edited(tag, words) {
    const { app } = this;
    const { name } = this.piece;
    this.proposed(null);
    if (this.kind) say(byId("tag-asked"), ASKED[this.kind]);
    try {
      await app.table.edit([{ tag: name, ...tag }]);
      await app.table.shapes.fetch(app.table.pieces);
      app.redraw();
      app.tell(`${words} Undo takes it back.`, true);
      await this.evidence.kept(name);
    } catch (error) {
      if (error.lost) return; // the edit's own refusal was told already
    }
  }
}

function inTable(pose, point) {
  return [0, 1, 2].map((row) => [0, 1, 2].reduce((sum, axis) => sum + pose[4 * row + axis] * point[axis], pose[4 * row + 3]));
}

function inShape(pose, point) {
  const away = point.map((value, axis) => value - pose[4 * axis + 3]);
  return [0, 1, 2].map((axis) => [0, 1, 2].reduce((sum, row) => sum + pose[4 * row + axis] * away[row], 0));
}
