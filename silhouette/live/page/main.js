// The page of the live table: what the server tells is shown, what hands do is sent, and nothing older ever replaces newer.
import { Allowing } from "./allowing.js";
import { Announcer } from "./announcing.js";
import { Cover } from "./cover.js";
import { files, savingShown } from "./files.js";
import { Hand } from "./hand.js";
import { Handing } from "./handing.js";
import { keys } from "./keys.js";
import { Labels } from "./labels.js";
import { Legend } from "./legend.js";
import { marksOf } from "./marks.js";
import { Odds } from "./odds.js";
import { byId, made, say } from "./page.js";
import { Panel } from "./panel.js";
import { PieceForm } from "./piece.js";
import { Pointing } from "./pointing.js";
import { Questions } from "./questions.js";
import { Ruler } from "./ruler.js";
import { ScannedPiece } from "./scanned.js";
import { shared } from "./shared.js";
import { Shelf } from "./shelf.js";
import { Sights } from "./sights.js";
import { Connection } from "./socket.js";
import { Table } from "./table.js";
import { Tagging } from "./tagging.js";
import { upper } from "./verdicts.js";
import { Views } from "./views.js";
import { WhatIf } from "./what_if.js";

class App {
  constructor() {
    const socket = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`;
    const holder = byId("table");
    this.table = new Table(new Connection(socket, location.hash.slice(1)));
    this.tools = { hover: null, ruler: new Ruler(this), limit: null, nearest: null };
    this.announcer = new Announcer(this.table, this.tools.ruler);
    this.tell = (text, seen) => this.announcer.tell(text, seen);
    this.table.shapes.came = () => this.redraw();
    this.views = new Views(holder, this.table.shapes, () => this.#viewed());
    this.hand = new Hand(this.table, this.tell);
    this.sights = new Sights(this.table);
    this.panel = new Panel(this);
    this.form = new PieceForm(this);
    this.odds = new Odds(this);
    this.whatIf = new WhatIf(this);
    this.cover = new Cover(this);
    this.tagging = new Tagging(this);
    this.shelf = new Shelf(this);
    this.scanned = new ScannedPiece(this);
    this.questions = new Questions(holder, this);
    this.handing = new Handing(holder, this);
    this.allowing = new Allowing(this);
    this.labels = new Labels(holder, this);
    this.legend = new Legend(this);
    this.pointing = new Pointing(holder, this);
    keys(holder, this);
    files(this);
    this.#buttons();
    this.#eye();
    this.#heard();
    this.table.connection.start();
  }

  get view() {
    return this.views.now;
  }

  #painted() {
    for (const one of this.views.all) one.painted();
  }

  // Another view is shown: it needs all that the one before had.
  #viewed() {
    this.framedFor = null;
    this.#painted();
    this.redraw();
    this.cover.drawn();
    this.shelf.drawn();
  }

  #heard() {
    const { table } = this;
    for (const change of ["pieces", "moved", "results", "first", "selected"]) table.heard(change, () => this.redraw());
    for (const change of ["results", "first"]) table.heard(change, () => this.panel.shown()); // at once: pictures may take their time
    table.heard("pieces", () => this.#fetched());
    table.heard("selected", ({ changed }) => changed && this.#limitFrom());
    table.heard("opened", ({ title }) => this.#opened(title));
    table.heard("lost", (detail) => this.#lost(detail));
    table.heard("failed", ({ error }) => this.tell(upper(error.message), true));
    const schemes = window.matchMedia("(prefers-color-scheme: dark)");
    schemes.addEventListener("change", () => (this.#painted(), this.redraw()));
    this.#painted();
  }

  #opened(title) {
    say(byId("title"), title || "The live table");
    document.title = `${title || "The live table"} · Silhouette`;
    byId("lost").hidden = true;
    document.documentElement.dataset.role = this.table.looks ? "looker" : "player";
    this.handing.opened();
    this.framedFor = null;
  }

  #lost({ reason, seconds, unsure }) {
    byId("lost").hidden = false;
    const last = unsure ? " The last change was not confirmed; the table will be as the server has it." : "";
    const why = reason ? `: ${reason.replace(/\.$/, "")}` : "";
    say(byId("lost"), seconds === null ? reason : `The connection is lost${why}. Trying again …${last}`);
    this.redraw();
  }

  async #fetched() {
    try {
      if (await this.table.shapes.fetch(this.table.pieces)) this.redraw();
    } catch (error) {
      if (!error.lost) this.tell(`The shapes did not come: ${error.message}`, true);
      this.redraw();
    }
  }

  // Everything that is shown follows what is known, once for each picture.
  redraw() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      this.#drawn();
    });
  }

  #drawn() {
    const { table, view } = this;
    const span = JSON.stringify(table.span);
    for (const one of this.views.all) one.show(table.pieces.map((piece) => table.shown(piece)));
    if (table.span && this.framedFor !== span) {
      const first = !this.framedFor;
      this.framedFor = span;
      for (const one of this.views.all) one.framed(table.span);
      if (first) view.whole(false);
    }
    this.tools.close = Boolean(this.tagging.piece);
    document.documentElement.dataset.close = String(this.tools.close);
    for (const one of this.views.all) one.looking(this.tools.close ? null : this.sights.view);
    this.tools.shelf = this.shelf.mark;
    view.marked(marksOf(table, this.sights, this.tools, view.size));
    this.tagging.shown();
    this.questions.shown();
    this.labels.named();
    this.panel.shown();
    this.form.shown();
    this.scanned.shown();
    this.odds.shown();
    this.whatIf.shown();
    this.cover.shown();
    this.legend.shown();
    this.#warned();
    savingShown(table);
    byId("own").hidden = !view.canColour;
    byId("slow").hidden = !this.views.sluggish;
    this.announcer.loaded(table.shapes.fetching ? table.shapes.missing(table.pieces) : 0);
    this.announcer.settled();
  }

  #warned() {
    const { warnings = [] } = this.table;
    const held = byId("warnings");
    held.hidden = !warnings.length;
    if (this.warned === warnings) return;
    this.warned = warnings;
    say(held.querySelector("summary"), warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`);
    held.querySelector("ul").replaceChildren(...warnings.map((text) => made("li", {}, upper(text))));
  }

  #buttons() {
    const acts = {
      "view-whole": () => this.view.whole(),
      "view-above": () => this.view.above(),
      "view-nearer": () => this.view.nearer(),
      "view-farther": () => this.view.farther(),
      "view-plan": () => this.views.toggle(),
    };
    for (const [id, act] of Object.entries(acts)) byId(id).addEventListener("click", act);
    byId("own").addEventListener("click", (event) => {
      const own = event.currentTarget.getAttribute("aria-pressed") !== "true";
      event.currentTarget.setAttribute("aria-pressed", String(own));
      this.view.coloured(own);
    });
  }

  #eye() {
    const canvas = byId("eye-view");
    const { deep } = this.views;
    if (!deep) {
      byId("eye").hidden = true;
      return;
    }
    deep.eye.canvas = canvas;
    const told = (event) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const name = event && deep.eye.at((event.clientX - left) / width, (event.clientY - top) / height);
      say(byId("eye-told"), name || "");
    };
    canvas.addEventListener("pointermove", told);
    canvas.addEventListener("pointerdown", told);
    canvas.addEventListener("pointerleave", () => told(null));
    new ResizeObserver(() => deep.draw()).observe(canvas);
  }

  hovered(name) {
    if (this.tools.hover === name) return;
    this.tools.hover = name;
    this.redraw();
  }

  // The box that is being drawn in the window; null for none.
  boxed(from, to = from) {
    const box = byId("box");
    box.hidden = !from;
    if (!from) return;
    const { left, top } = byId("table").getBoundingClientRect();
    const style = { left: Math.min(from[0], to[0]) - left, top: Math.min(from[1], to[1]) - top };
    Object.assign(style, { width: Math.abs(to[0] - from[0]), height: Math.abs(to[1] - from[1]) });
    for (const [key, value] of Object.entries(style)) box.style[key] = `${value}px`;
  }

  began() {
    this.view.steered(false);
  }

  ended() {
    this.view.steered(true);
    this.redraw();
  }

  #limitFrom() {
    this.tools.limit = null;
    this.tagging.end();
    if (Number(byId("limit").value) > 0) this.form.limited();
  }
}

const app = new App();
window.silhouette = shared(app);
