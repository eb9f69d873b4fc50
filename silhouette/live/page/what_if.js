// What would change the verdict on the chosen pair: asked for by a button, which stops it too, since it takes a while.
import { lengthIn } from "./lengths.js";
import { byId, made, say } from "./page.js";
import { upper } from "./verdicts.js";

const WORDS = "What would change it?";

// Every 45 degrees from the direction of the look, anticlockwise: where a piece goes, as the attacker sees it.
const AWAY = ["farther away", "farther away and to the left", "to the left", "nearer and to the left"];
AWAY.push("nearer", "nearer and to the right", "to the right", "farther away and to the right");
const AHEAD = ["forward", "forward and to the left", "to the left", "back and to the left"];
AHEAD.push("back", "back and to the right", "to the right", "forward and to the right");

export class WhatIf {
  constructor(app) {
    this.app = app;
    this.about = null;
    byId("what-if").addEventListener("click", () => (this.about?.request ? this.#away() : this.#ask()));
    app.table.heard("progress", ({ ask, share }) => ask === this.about?.request?.id && this.#grown(share));
  }

  // What is about another pair or an earlier pose goes.
  shown() {
    const { table } = this.app;
    const { about } = this;
    if (about && (about.pose !== table.pose || String(about.pair) !== String(table.chosen))) this.#away();
    byId("what-if").disabled = !table.connected;
  }

  #away() {
    const { about, app: { table } } = this;
    this.about = null;
    if (about.request && table.connected) table.connection.ask({ do: "stop", ask: about.request.id }).catch(() => {});
    this.#ended(about);
    byId("changes").hidden = true;
  }

  #ended(about) {
    about.request = null;
    say(byId("what-if"), WORDS);
  }

  async #ask() {
    const { table, tell } = this.app;
    const about = { pose: table.pose, pair: table.chosen };
    this.about = about;
    about.request = table.connection.ask({ do: "check", pairs: [about.pair], what_if: true });
    say(byId("what-if"), "Stop looking");
    this.#waiting();
    try {
      const { results } = await about.request;
      if (this.about !== about) return;
      const lines = this.#lines(results[0]);
      byId("changes").replaceChildren(made("p", { className: "small" }, `${WORDS.slice(0, -1)}:`), made("ul", { className: "changes" }, ...lines.map((line) => made("li", {}, line))));
      tell(`${lines.join(". ")}.`);
    } catch (error) {
      if (this.about === about) byId("changes").replaceChildren(made("p", { className: "note" }, upper(error.message)));
    } finally {
      if (this.about === about) this.#ended(about);
    }
  }

  #waiting() {
    this.text = made("p", { className: "small" });
    this.bar = made("progress", { ariaLabel: "Looking for what would change it", value: 0 });
    byId("changes").replaceChildren(this.text, this.bar);
    byId("changes").hidden = false;
    this.#grown(0);
    this.app.tell("Looking for what would change it …");
  }

  // How much of the work is done.
  #grown(share) {
    this.bar.value = Math.max(share, this.bar.value);
    say(this.text, `Trying moves, turns and the table without each piece … ${Math.floor(100 * this.bar.value)}\u00a0%`);
  }

  #lines(row) {
    const lines = (row.changes || []).map((change) => this.#change(change, row));
    if (!lines.length) lines.push("Nothing that was tried");
    return row.one_way ? [...lines, upper(row.one_way)] : lines;
  }

  #change({ what, mm, direction, degrees, piece, verdict }, { attacker, target }) {
    if (what === "without") return `Without ${piece}: ${verdict}`;
    if (degrees !== undefined) return `${attacker} turned by ${Math.abs(degrees).toFixed(1)}° to the ${degrees > 0 ? "left" : "right"}: ${verdict}`;
    const { table } = this.app;
    const [from, to] = [attacker, target].map((name) => table.piece(name).at);
    const ahead = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
    const side = Math.round((((direction - ahead) % 360) + 360) % 360 / 45) % 8;
    const moved = what.endsWith("target");
    return `${moved ? target : attacker} ${lengthIn(table.unit, mm)} ${(moved ? AWAY : AHEAD)[side]}: ${verdict}`;
  }
}
