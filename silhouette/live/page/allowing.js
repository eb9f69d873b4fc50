// A second device would have its scan become the table: each player is asked, until one of them has answered.
import { byId, made } from "./page.js";

export class Allowing {
  constructor(app) {
    this.app = app;
    this.cards = new Map();
    app.table.heard("wanted", ({ file, answer }) => this.#wanted(file, answer));
    app.table.heard("lost", () => [...this.cards.keys()].forEach((file) => this.#gone(file)));
  }

  #wanted(file, answer) {
    if (this.app.table.looks) return;
    this.#gone(file);
    if (answer !== null) return;
    const button = (words, allowed) => {
      const one = made("button", { type: "button" }, words);
      one.addEventListener("click", () => this.#answered(file, allowed));
      return one;
    };
    const line = made(
      "li",
      {},
      made("p", {}, `A second device wants ${file} to become the table. May it?`),
      made("p", { className: "small" }, "What is not saved of this table is kept beside its scene."),
      made("div", { className: "row answers" }, button("Yes, replace the table", true), button("No, keep this table", false)),
    );
    this.cards.set(file, line);
    byId("arrivals").querySelector("ul").append(line);
    byId("arrivals").hidden = false;
    line.scrollIntoView({ block: "nearest" });
    this.app.tell(`A second device wants ${file} to become the table.`, true);
  }

  #gone(file) {
    this.cards.get(file)?.remove();
    this.cards.delete(file);
    byId("arrivals").hidden = !byId("arrivals").querySelector("li");
  }

  async #answered(file, answer) {
    this.#gone(file);
    const { table, tell } = this.app;
    try {
      await table.connection.ask({ do: "allow", file, answer });
      tell(answer ? `${file} is being read; it becomes the table then.` : "The table stays as it is.", true);
    } catch (error) {
      if (!error.lost) tell(`Nothing was answered: ${error.message}`, true);
    }
  }
}
