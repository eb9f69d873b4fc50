// What a scan could not tell: each question with its answers, and where on the table it is asked.
import { byId, made, say } from "./page.js";
import { upper } from "./verdicts.js";

export class Questions {
  constructor(app) {
    this.app = app;
    this.before = "";
    byId("length").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#length();
    });
  }

  shown() {
    const { questions = [] } = this.app.table;
    const now = JSON.stringify(questions);
    byId("questions").hidden = !questions.length;
    byId("length").hidden = !questions.length || !this.app.tools.ruler.to;
    if (now === this.before) return;
    this.before = now;
    say(byId("questions-title"), questions.length === 1 ? "One question about the scan" : `${questions.length} questions about the scan`);
    byId("questions-list").replaceChildren(...questions.map((question) => this.#question(question)));
  }

  #question({ key, text, answers, about = [], at }) {
    const buttons = answers.map((answer) => {
      const button = made("button", { type: "button" }, upper(answer));
      button.addEventListener("click", () => this.#answered({ question: key, answer }));
      return button;
    });
    const where = made("button", { type: "button", className: "name" }, upper(text));
    where.addEventListener("click", () => this.#looked(about, at));
    return made("li", {}, where, made("div", { className: "row" }, ...buttons));
  }

  // Shows on the table what is asked about.
  #looked([name], at) {
    const { table, tools, redraw } = this.app;
    if (name && table.piece(name)) table.select(name);
    tools.asked = at ? [...at, 0] : null;
    redraw.call(this.app);
  }

  #length() {
    const mm = Number(byId("length-mm").value);
    const { from, to } = this.app.tools.ruler;
    if (mm > 0) this.#answered({ length: { mm, from, to } });
  }

  async #answered(answer) {
    const { app } = this;
    app.tell("Reading the scan again …", true);
    for (const button of byId("questions-list").querySelectorAll("button")) button.disabled = true;
    try {
      await app.table.change({ do: "answer", ...answer });
      app.tools.asked = null;
      app.tell("The scan is read again.", true);
    } catch {
      for (const button of byId("questions-list").querySelectorAll("button")) button.disabled = false;
    }
  }
}
