// The map of where the selected model would be in cover, and the nearest places with each.
import { inches } from "./lengths.js";
import { byId, made, say } from "./page.js";
import { CALLS, SIGNS, upper } from "./verdicts.js";

export class Cover {
  constructor(app) {
    this.app = app;
    this.asked = null;
    byId("map").addEventListener("click", () => this.toggle());
    app.table.heard("map", (event) => this.#came(event));
  }

  toggle() {
    if (this.asked) this.away();
    else this.#ask();
  }

  // The map holds while only its own model is moved about: of everyone else it knows where they stand.
  shown() {
    const { asked } = this;
    if (asked && this.#about(asked.name) !== asked.about) this.away("The table has changed since the map was made.");
  }

  #about(name) {
    const { pieces, selected } = this.app.table;
    const all = pieces.map((piece) => [piece.name, piece.name === name ? piece.facing : [piece.pose, piece.facing, piece.gang]]);
    return JSON.stringify([selected, all]);
  }

  async #ask() {
    const { table, tell } = this.app;
    const name = table.selected;
    if (!name || !table.results.pairs.length) return;
    const request = table.connection.ask({ do: "map", name });
    const asked = { name, id: request.id, about: this.#about(name), places: new Map(), whole: false };
    this.asked = asked;
    byId("map").setAttribute("aria-pressed", "true");
    this.#told(`Looking where ${name} would be in cover …`);
    try {
      const { nearest } = await request;
      asked.whole = true;
      if (this.asked !== asked) return;
      this.drawn();
      this.#found(nearest || {});
    } catch (error) {
      if (this.asked !== asked) return;
      this.away(upper(error.message));
      tell(error.message);
    }
  }

  #came({ ask, grid, cells }) {
    const { asked } = this;
    if (asked?.id !== ask) return;
    const { levels, colours } = this.app.table;
    const words = Object.keys(levels);
    asked.grid = Math.min(asked.grid ?? grid, grid);
    for (const [x, y, z, number, marginal] of cells) {
      if (number === null) continue;
      const verdict = words[number];
      asked.places.set(`${x} ${y}`, { at: [x, y, z], grid, marginal, verdict, colour: colours[verdict] });
    }
    this.drawn();
    this.#legend();
  }

  // Places of coarse steps are wide until those between them come, and lie below these.
  drawn() {
    if (!this.asked?.grid) return;
    const { grid, places, whole } = this.asked;
    const widest = whole ? grid : 2 * grid;
    const wide = [...places.values()].map((place) => ({ ...place, width: Math.min(place.grid, widest) }));
    this.app.view.mapped({ grid, places: wide.sort((one, other) => other.width - one.width) });
  }

  #legend() {
    const { table } = this.app;
    const used = new Set([...this.asked.places.values()].map(({ verdict }) => verdict));
    const entries = Object.keys(table.levels)
      .filter((word) => used.has(word))
      .map((word) => {
        const swatch = made("i", { className: "swatch" });
        swatch.style.background = table.colours[word];
        return made("li", {}, swatch, word);
      });
    if ([...this.asked.places.values()].some(({ marginal }) => marginal)) {
      entries.push(made("li", {}, made("i", { className: "swatch close" }), CALLS.close));
    }
    byId("map-legend").replaceChildren(...entries);
    byId("map-legend").hidden = !entries.length;
  }

  #found(nearest) {
    const { app, asked } = this;
    const { table, tools } = app;
    const words = Object.keys(nearest);
    tools.nearest = words.map((word) => ({ at: nearest[word].at, level: table.levels[word] }));
    this.#told(words.length ? "The nearest places at least so well covered:" : `No place covers ${asked.name} better.`);
    byId("nearest").replaceChildren(
      ...words.map((word) => {
        const { at, mm } = nearest[word];
        const text = `${SIGNS[table.levels[word]] || ""} ${word}: ${mm < 0.05 ? "here" : `${inches(mm)} away`}`;
        const button = made("button", { type: "button", disabled: mm < 0.05, title: `Move ${asked.name} there` }, text);
        button.addEventListener("click", () => table.edit([app.hand.place(asked.name, at.slice(0, 2))]).catch(() => {}));
        return made("li", {}, button);
      }),
    );
    byId("nearest").hidden = !words.length;
    app.tell(words.map((word) => `Nearest ${word}: ${inches(nearest[word].mm)}`).join(". ") || "The map is done.");
    app.redraw();
  }

  #told(text) {
    byId("map-told").hidden = !text;
    say(byId("map-told"), text);
  }

  away(why = "") {
    const { asked, app } = this;
    this.asked = null;
    if (asked && !asked.whole && app.table.connected) app.table.connection.ask({ do: "stop", ask: asked.id }).catch(() => {});
    app.tools.nearest = null;
    byId("map").setAttribute("aria-pressed", "false");
    byId("map-legend").hidden = byId("nearest").hidden = true;
    this.#told(why);
    app.view.mapped(null);
    app.redraw();
  }
}
