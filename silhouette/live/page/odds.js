// How sure the verdict on the chosen pair is: asked for by a button, since it takes a while; of figures that a hand has
// placed by itself, once all rests, so that no verdict on them may differ silently.
import { byId, made } from "./page.js";
import { CLASSES, share, SIGNS, upper } from "./verdicts.js";

const REST = 800; // ms without a change before odds are worked out by themselves
const BY_HAND = 2; // mm: whoever may stand so far off was placed by hand

export class Odds {
  constructor(app) {
    this.app = app;
    this.about = null;
    this.resting = 0;
    byId("odds").addEventListener("click", () => this.#asked());
  }

  // The result of a pair with its odds, once they are worked out: then they are the ruling.
  ruled(pair) {
    const { about } = this;
    return about?.row?.call && about.pose === this.app.table.pose && String(about.pair) === String(pair) ? about.row : null;
  }

  // Who of a pair, or of those in its way, was placed by hand.
  byHand(pair) {
    const { table } = this.app;
    const inTheWay = (table.results.row(pair)?.blockers || []).map(({ name }) => name);
    const names = [...new Set([...pair, ...inTheWay])];
    return names.filter((name) => table.scanned && table.piece(name)?.doubt?.place >= BY_HAND);
  }

  // What is to be said of a pair in which a hand has placed somebody; empty where it has not.
  handNote(pair) {
    const names = this.byHand(pair);
    if (!names.length) return "";
    const known = this.ruled(pair) ? "the odds decide." : this.#current && (this.about.failed || this.about.row) ? "nobody knows whether that matters." : "working out whether that matters …";
    return `${names.join(" and ")} ${names.length > 1 ? "were" : "was"} placed by hand: ${known}`;
  }

  // What is about another pair or an earlier pose goes.
  shown() {
    const { table } = this.app;
    clearTimeout(this.resting);
    if (table.chosen && table.settled && table.results.row(table.chosen) && !this.#current && this.byHand(table.chosen).length) {
      this.resting = setTimeout(() => table.settled && table.chosen && !this.#current && this.#asked(), REST);
    }
    if (!this.about || (this.about.pose === table.pose && String(this.about.pair) === String(table.chosen))) return;
    this.about = null;
    byId("odds-shown").hidden = true;
    byId("odds").disabled = false;
  }

  // Whether odds of the chosen pair are there, or under way.
  get #current() {
    const { about, app: { table } } = this;
    return Boolean(about) && about.pose === table.pose && String(about.pair) === String(table.chosen);
  }

  async #asked() {
    const { table, tell } = this.app;
    const about = { pose: table.pose, pair: table.chosen };
    this.about = about;
    const held = byId("odds-shown");
    held.hidden = false;
    held.replaceChildren(made("p", { className: "small" }, "Working out the odds …"));
    byId("odds").disabled = true;
    try {
      const { results, assumed } = await table.connection.ask({ do: "check", pairs: [about.pair], odds: true });
      if (this.about !== about) return;
      about.row = results[0];
      held.replaceChildren(...this.#drawn(results[0]), made("p", { className: "small" }, assumed));
      this.app.redraw();
      tell(`${about.pair[0]} looks at ${about.pair[1]}: ${this.#listed(results[0])}.`);
    } catch (error) {
      if (this.about !== about) return;
      about.failed = true;
      this.app.redraw();
      held.replaceChildren(made("p", { className: "note" }, upper(error.message)));
    } finally {
      if (this.about === about) byId("odds").disabled = false;
    }
  }

  #listed({ odds }) {
    const words = Object.entries(odds || {}).filter(([, value]) => value > 0);
    return words.map(([word, value]) => `${word} ${share(value)}`).join(", ") || "the rules know no odds";
  }

  #drawn(row) {
    const { levels } = this.app.table;
    const some = Object.entries(row.odds || {}).filter(([, value]) => value > 0);
    if (!some.length) return [made("p", { className: "small" }, upper(`${this.#listed(row)}.`))];
    const bar = made("div", { className: "bar", ariaHidden: "true" });
    for (const [word, value] of some) {
      const part = made("i", { className: CLASSES[levels[word]] || "" });
      part.style.flexGrow = String(value);
      bar.append(part);
    }
    const list = made("ul", { className: "colours" });
    for (const [word, value] of some) list.append(made("li", {}, `${SIGNS[levels[word]] || ""} ${word} ${share(value)}`));
    const from = row.doubt_from && some.length > 1 ? ` What weighs most is ${row.doubt_from}.` : "";
    const call = row.call ? made("p", {}, made("strong", {}, upper(row.call)), `.${from}`) : "";
    return [bar, list, call];
  }
}
