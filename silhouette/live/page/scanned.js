// A piece of a scanned table: how exactly it stands, a ruler's readings that say it better, and what it really is.
import { byId, made, say } from "./page.js";
import { placedWords } from "./shelf.js";

const READINGS = 2; // rows at first

export class ScannedPiece {
  constructor(app) {
    Object.assign(this, { app, about: null, part: null });
    for (const key of ["place", "facing"]) byId(`doubt-${key}`).addEventListener("change", () => this.#doubted(key));
    byId("readings").addEventListener("submit", (event) => (event.preventDefault(), this.#read()));
    byId("kind").addEventListener("change", () => this.#edited({ kind: byId("kind").value }));
    byId("split").addEventListener("click", () => this.#splitting());
    byId("split-take").addEventListener("click", () => this.#split());
    byId("join").addEventListener("click", () => this.#joined());
  }

  get #name() {
    return this.app.table.selected;
  }

  #edited(change) {
    return this.app.table.edit([{ piece: this.#name, ...change }]).catch(() => this.shown(true));
  }

  #doubted(key) {
    const value = Number(byId(`doubt-${key}`).value);
    if (byId(`doubt-${key}`).value !== "" && value >= 0) this.#edited({ doubt: { [key]: value } });
  }

  async #read() {
    const { app } = this;
    const unit = Number(byId("readings-unit").value);
    const rows = [...byId("readings-rows").children].map((row) => [row.querySelector("select").value, row.querySelector("input").value]);
    const readings = rows.filter(([to, mm]) => to && mm !== "").map(([to, mm]) => ({ to, mm: Number(mm) * unit }));
    if (!readings.length) return;
    try {
      await app.table.edit([{ piece: this.#name, readings }]);
      app.tell(`${this.#name} stands where the ruler says. ${placedWords(app.table.piece(this.#name))}`, true);
    } catch {
      // told by the table
    }
  }

  shown(anew = false) {
    const { table, tools } = this.app;
    const piece = table.selected && table.piece(table.selected);
    const scanned = Boolean(piece && table.scanned && !table.looks);
    byId("standing").hidden = !scanned || piece.kind === "terrain";
    byId("scanned").hidden = !scanned;
    byId("split-take").hidden = !(this.part === piece?.name && tools.ruler.whole);
    if (!scanned) return;
    const { doubt } = this.app.shelf;
    const onBase = doubt && piece.doubt?.place === doubt.place && piece.doubt.facing === doubt.facing;
    say(byId("standing-told"), `${onBase ? "It stands on a base that the scan shows. " : ""}${placedWords(piece)}` || "Nobody has said how exactly it stands.");
    const others = table.pieces.map(({ name }) => name).filter((name) => name !== piece.name);
    const about = JSON.stringify([piece.name, piece.kind, piece.doubt, others]);
    if (about === this.about && !anew) return;
    this.about = about;
    for (const key of ["place", "facing"]) byId(`doubt-${key}`).value = piece.doubt?.[key] ?? "";
    byId("kind").value = piece.kind;
    const options = (first) => [...(first ? [made("option", { value: "" }, first)] : []), ...others.map((name) => made("option", { value: name }, name))];
    byId("join-with").replaceChildren(...options(""));
    byId("readings-rows").replaceChildren(...Array.from({ length: READINGS }, (_, index) => this.#row(options(index ? "nothing more" : "choose a piece"), index)));
  }

  #row(options, index) {
    const to = made("select", { ariaLabel: `Reading ${index + 1}: from its base to` }, ...options);
    const mm = made("input", { type: "number", min: "0", step: "any", inputMode: "decimal", ariaLabel: `Reading ${index + 1}: the length` });
    return made("li", {}, to, mm);
  }

  #splitting() {
    const { ruler } = this.app.tools;
    this.part = this.#name;
    if (ruler.on) ruler.toggle();
    ruler.toggle("Draw a line along which it parts, by a drag or a click on each end; then press Split here.");
  }

  #split() {
    const { ruler } = this.app.tools;
    const along = [ruler.from, ruler.to].map(([x, y]) => [x, y]);
    ruler.toggle();
    this.part = null;
    return this.app.questions.answered({ split: this.#name, along });
  }

  #joined() {
    const other = byId("join-with").value;
    if (other) this.app.questions.answered({ join: this.#name, with: other });
  }
}
