// The selected piece: its name, gang, facing and crew, and the buttons that turn, lift, copy and delete it.
import { inches, INCH } from "./lengths.js";
import { byId, made, say } from "./page.js";

const { gangsOf } = window.silhouetteViewer;

const ARCS = ["front", "left", "right", "rear"];

export class PieceForm {
  constructor(app) {
    this.app = app;
    const { hand, table } = app;
    const acts = {
      "turn-left": (name) => hand.turn(name, 15, true),
      "turn-right": (name) => hand.turn(name, -15, true),
      "floor-up": (name) => hand.floor(name, 1),
      "floor-down": (name) => hand.floor(name, -1),
      copy: (name) => hand.copy(name),
      delete: (name) => hand.delete(name),
    };
    for (const [id, act] of Object.entries(acts)) {
      byId(id).addEventListener("click", () => act(table.selected).catch(() => {}));
    }
    byId("naming").addEventListener("submit", (event) => event.preventDefault());
    this.#changes("name", (value) => value && { name: value });
    this.#changes("gang", (value) => ({ gang: value || null }));
    this.#changes("facing", (value) => (value === "" || !Number.isFinite(Number(value)) ? null : { facing: Number(value) }));
    byId("limit").addEventListener("input", () => this.limited());
    for (const arc of ARCS) {
      const box = made("input", { type: "checkbox", value: arc });
      box.addEventListener("change", () => this.#crew());
      byId("arcs").append(made("label", {}, box, arc));
    }
  }

  #changes(id, edit) {
    const field = byId(id);
    field.addEventListener("change", async () => {
      const { table } = this.app;
      const change = edit(field.value.trim());
      try {
        if (change) await table.edit([{ piece: table.selected, ...change }]);
      } catch {
        this.filled = null; // what is written there is not what the table has
      }
      this.shown();
    });
  }

  #crew() {
    const arcs = [...byId("arcs").querySelectorAll("input:checked")].map(({ value }) => value);
    const { table } = this.app;
    table.edit([{ piece: table.selected, arcs }]).catch(() => this.shown());
  }

  // The limit counts from where the piece stands when it is written, or where it was last selected.
  limited() {
    const { app } = this;
    const piece = app.table.piece(app.table.selected);
    const mm = Number(byId("limit").value) * INCH;
    const { limit } = app.tools;
    const same = limit && limit.name === piece?.name;
    app.tools.limit = piece && mm > 0 ? { name: piece.name, mm, from: same ? limit.from : piece.at.slice(0, 2), height: same ? limit.height : piece.at[2] } : null;
    app.redraw();
  }

  shown() {
    const { table } = this.app;
    const piece = table.selected && table.piece(table.selected);
    byId("piece").hidden = !piece;
    if (!piece) return;
    const shown = table.shown(piece);
    const model = piece.kind !== "terrain";
    const [x, y, z] = shown.at;
    say(byId("piece-title"), piece.name);
    const height = z > 0.05 ? `, ${inches(z)} up` : "";
    say(byId("piece-told"), `${piece.kind} at ${inches(x)}, ${inches(y)}${height}${this.#gone(shown)}`);
    byId("gang-of").hidden = byId("cover").hidden = !model;
    byId("arcs").hidden = piece.kind !== "vehicle";
    const facing = shown.facing === null || shown.facing === undefined ? "" : String(Math.round(shown.facing * 10) / 10);
    const values = { name: piece.name, gang: piece.gang || "", facing };
    for (const [id, value] of Object.entries(values)) {
      if (document.activeElement !== byId(id) || this.filled !== piece.name) byId(id).value = value;
    }
    for (const box of byId("arcs").querySelectorAll("input")) box.checked = (piece.arcs || []).includes(box.value);
    if (this.filled !== piece.name) this.#gangs();
    this.filled = piece.name;
  }

  #gone({ name, at }) {
    const { limit } = this.app.tools;
    if (limit?.name !== name) return "";
    const gone = Math.hypot(at[0] - limit.from[0], at[1] - limit.from[1]);
    return `; moved ${inches(gone)} of ${inches(limit.mm)}${gone > limit.mm + 0.01 ? ": too far" : ""}`;
  }

  #gangs() {
    byId("gangs").replaceChildren(...gangsOf(this.app.table.models).map((gang) => made("option", { value: gang })));
  }
}
