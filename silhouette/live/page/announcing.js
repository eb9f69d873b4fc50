// What a screen reader is told: what was selected, where a piece came to stand, how the verdict fell, how long the ruler is.
import { inches } from "./lengths.js";
import { byId, say } from "./page.js";
import { sentence } from "./verdicts.js";

const SHOWN = 4500; // ms
const LOADING = 300; // ms after which it is told that shapes are on their way

export class Announcer {
  constructor(table, ruler) {
    Object.assign(this, { table, ruler });
    this.before = "";
    this.hiding = this.loading = 0;
    for (const act of ["pointerdown", "keydown"]) byId("scene").addEventListener(act, () => this.#hidden(), true);
  }

  // Words over the table go when somebody does something there: what they cover may be what one looks for.
  #hidden() {
    clearTimeout(this.hiding);
    byId("hint").hidden = true;
  }

  // One sentence; where everyone should see it, on the table as well.
  tell(text, seen = false) {
    if (!text) return;
    byId("told").textContent = text;
    if (!seen) return;
    const hint = byId("hint");
    hint.hidden = false;
    say(hint, text);
    clearTimeout(this.hiding);
    this.hiding = setTimeout(() => this.#hidden(), SHOWN);
  }

  // How many pieces still come without their shapes: shown while they do, told where they take a while, and when all are there.
  loaded(missing) {
    const held = byId("loading");
    byId("table").setAttribute("aria-busy", String(missing > 0));
    if (!missing) {
      clearTimeout(this.loading);
      this.loading = 0;
      if (!held.hidden) this.tell("All pieces are there.");
      held.hidden = true;
      return;
    }
    say(held.querySelector("span"), `Loading ${missing === 1 ? "1 piece" : `${missing} pieces`} …`);
    this.loading ||= setTimeout(() => {
      held.hidden = false;
      this.tell(held.textContent);
    }, LOADING);
  }

  // Once all is settled: what is different from what was told before.
  settled() {
    const { table } = this;
    if (!table.settled) return;
    const piece = table.selected && table.piece(table.selected);
    const row = table.results.row(table.chosen);
    const place = piece ? this.#piece(piece) : "";
    const verdict = row ? `${sentence(row)}.` : "";
    const measured = this.ruler.told;
    const now = JSON.stringify([place, verdict, measured]);
    if (now === this.before) return;
    const [placeBefore, verdictBefore, measuredBefore] = this.before ? JSON.parse(this.before) : ["", "", ""];
    this.before = now;
    const told = [place !== placeBefore && place, verdict !== verdictBefore && verdict, measured !== measuredBefore && measured];
    this.tell(told.filter(Boolean).join(" "));
  }

  #piece({ name, gang, kind, at: [x, y, z], facing }) {
    const faces = typeof facing === "number" ? `, facing ${Math.round(facing)} degrees` : "";
    const up = z > 0.05 ? `, ${inches(z)} up` : "";
    return `${name}, ${gang ? `${gang} ` : ""}${kind}, at ${inches(x)}, ${inches(y)}${up}${faces}.`;
  }
}
