// What a scan could not tell: a pin at its place on the table, and a card with the question and its answers beside it.
import { byId, made, say } from "./page.js";
import { reading } from "./reading.js";
import { upper } from "./verdicts.js";

const OF_SIZE = "scale"; // the key of the question that a length answers
const ABOVE = 4; // mm
const PIN = 26; // px
const LIFTED = 24; // px over a name

export class Questions {
  constructor(holder, app) {
    Object.assign(this, { app, before: "", busy: false, pins: [], cards: [], boxes: [] });
    this.layer = holder.appendChild(made("div", { className: "pins" }));
    this.layer.setAttribute("aria-hidden", "true");
    byId("measure").addEventListener("click", () => this.#measuring());
    app.tools.ruler.done = () => this.#measured();
    byId("length").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#length();
    });
  }

  shown() {
    const { app } = this;
    const { questions = [] } = app.table;
    const now = JSON.stringify(questions);
    byId("questions").hidden = !questions.length && !this.busy;
    for (const id of ["split", "split-take", "join"]) byId(id).disabled = this.busy || !app.table.connected;
    byId("measuring").hidden = !questions.some(({ key }) => key === OF_SIZE);
    byId("measure").setAttribute("aria-pressed", String(app.tools.ruler.on));
    byId("length").hidden = !app.tools.ruler.whole;
    for (const button of byId("questions").querySelectorAll("button")) button.disabled = this.busy || !app.table.connected;
    if (now === this.before) return;
    this.before = now;
    this.questions = questions;
    say(byId("questions-title"), questions.length === 1 ? "The scan asks" : `The scan asks ${questions.length} things`);
    this.cards = questions.map((question, index) => this.#card(question, index + 1));
    byId("questions-list").replaceChildren(...this.cards);
    this.pins = questions.map((question, index) => this.#pin(question, index));
    this.layer.replaceChildren(...this.pins);
    this.placed();
  }

  #card({ key, text, answers = [], about = [], at }, number) {
    const buttons = answers.map((answer, index) => {
      const words = index === 0 ? [upper(answer), made("small", {}, " (likeliest)")] : [upper(answer)];
      const button = made("button", { type: "button", className: index === 0 ? "likely" : "" }, ...words);
      button.addEventListener("click", () => this.answered({ question: key, answer }));
      return button;
    });
    const places = at || about.length;
    const look = made("button", { type: "button" }, "Show it on the table");
    look.addEventListener("click", () => this.#looked(about));
    const pin = made("span", { className: "pin", ariaHidden: "true" }, String(number));
    const asked = made("p", {}, pin, made("span", {}, upper(text)));
    return made("li", { tabIndex: -1 }, asked, made("div", { className: "answers" }, ...buttons), ...(places && about.length ? [look] : []));
  }

  #pin({ about = [], at }, index) {
    const pin = made("span", { className: "pin", hidden: !at && !about.length }, String(index + 1));
    pin.addEventListener("pointerdown", (event) => event.stopPropagation());
    pin.addEventListener("click", () => {
      this.cards[index].scrollIntoView({ block: "nearest" });
      this.cards[index].focus();
    });
    return pin;
  }

  // The pins follow the picture; `boxes` are what they cover of it, px.
  placed() {
    const { table, view } = this.app;
    this.boxes = [];
    this.pins.forEach((pin, index) => {
      const { about = [], at } = this.questions[index];
      const piece = about.map((name) => table.piece(name)).find(Boolean);
      const place = piece ? [...table.shown(piece).at.slice(0, 2), view.top(piece.name) + ABOVE] : at && [...at, ABOVE];
      const { x, y, shown } = place ? view.project(place) : { shown: false };
      pin.hidden = !shown;
      if (!shown) return;
      pin.style.transform = `translate(${x.toFixed(1)}px, ${(y - LIFTED).toFixed(1)}px) translate(-50%, -100%)`;
      this.boxes.push({ left: x - PIN / 2, right: x + PIN / 2, top: y - LIFTED - PIN, bottom: y - LIFTED });
    });
  }

  #looked([name]) {
    const { table, view } = this.app;
    if (!table.piece(name)) return;
    table.select(name);
    view.near(name);
  }

  #measuring() {
    const { app } = this;
    app.tools.ruler.toggle("Drag along an edge whose length you know, or click both its ends; or Enter, arrows, Enter. Then write how long it is.");
  }

  // Whoever has measured by keys goes on with them.
  #measured() {
    this.shown();
    if (!byId("measuring").hidden) byId("length-number").focus();
  }

  #length() {
    const mm = Number(byId("length-number").value) * Number(byId("length-unit").value);
    const { from, to } = this.app.tools.ruler;
    if (mm > 0 && to) this.answered({ length: { mm, from, to } });
  }

  // Others may go on moving pieces meanwhile: it takes seconds, and is no change of a pose until it is there.
  async answered(answer) {
    const { app } = this;
    this.busy = true;
    this.shown();
    byId("reading").hidden = false;
    app.tell("Reading the scan again. That takes a while; go on meanwhile.", true);
    const stop = reading((seconds) => say(byId("reading").querySelector("span"), `Reading the scan again: ${seconds} s. Go on meanwhile.`));
    try {
      app.table.take(await app.table.connection.ask({ do: "answer", ...answer }));
      if (app.tools.ruler.on) app.tools.ruler.toggle();
      const left = app.table.questions.length;
      app.tell(`The scan is read again; ${left ? `it asks ${left === 1 ? "one more thing" : `${left} more things`}` : "it asks nothing more"}.`, true);
    } catch (error) {
      app.tell(`The scan was not read again: ${error.message}`, true);
    } finally {
      stop();
      this.busy = false;
      byId("reading").hidden = true;
      this.shown();
      app.redraw();
    }
  }
}
