// A report's page comes to life: without this it is whole, but for the 3D view and the button that copies.
import { copying } from "./copying.js";
import { acted, ofView } from "./keys.js";
import { unpacked } from "./packing.js";
import { judging, Play } from "./play.js";
import { shapeOf } from "./meshes.js";
import { Stage } from "./stage.js";
import { filled } from "./verdicts.js";
import { Viewer } from "./viewer.js";

const LATEST = 1500; // ms that the view waits for the judge's first word at most
const PATIENT = 30; // ms that the page works on end

const byId = (id) => document.getElementById(id);

class Page {
  constructor(told, stage, judge, play) {
    this.told = told;
    this.judge = judge;
    this.stage = stage;
    this.labels = this.#labels();
    this.viewer = new Viewer(byId("view-canvas"), this.stage, this.labels);
    this.viewer.left = () => this.#pressed();
    this.chosen = byId("view-check");
    this.#buttons();
    this.#keys();
    this.#boxes();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const painted = () => {
      this.stage.painted(getComputedStyle(document.documentElement));
      this.viewer.draw();
    };
    dark.addEventListener("change", painted);
    painted();
    this.looks = this.labels.map((_, index) => play?.look(index)?.className || "");
    this.check(0);
    this.viewer.table(undefined, false);
    this.play = play;
    play?.shown(this);
  }

  #labels() {
    const holder = byId("view-labels");
    return this.told.pieces.map((piece) => {
      const label = document.createElement("span");
      label.textContent = piece.name;
      label.hidden = true;
      holder.append(label);
      return label;
    });
  }

  #buttons() {
    const { viewer, told } = this;
    const { viewLeft, viewRight, viewAway, viewNear } = ofView(viewer);
    // Arrows turn the view, where nothing is there to be moved.
    this.acts = {
      ...ofView(viewer),
      left: viewLeft,
      right: viewRight,
      away: viewAway,
      near: viewNear,
      whole: () => (viewer.table(), this.say(told.words.table)),
      above: () => (viewer.above(), this.say(told.words.above)),
    };
    const { nearer, farther, whole, above } = this.acts;
    const does = { "view-eye": () => this.eye(), "view-table": whole, "view-above": above, "view-nearer": nearer, "view-farther": farther };
    byId("view-own")?.addEventListener("click", (event) => {
      const { stage } = this;
      stage.own = !stage.own;
      event.currentTarget.setAttribute("aria-pressed", String(stage.own));
      stage.chosen(stage.view);
      viewer.changed();
      this.say(stage.own ? told.words.own : told.words.plain);
    });
    for (const [id, act] of Object.entries(does)) {
      byId(id).addEventListener("click", () => {
        act();
        this.#pressed();
      });
    }
    this.chosen?.addEventListener("change", () => {
      this.check(Number(this.chosen.value));
      if (viewer.fromEye) this.eye();
      else this.say(this.#about(told.words.check));
      this.#pressed();
    });
    for (const button of document.querySelectorAll("button[data-view]")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        this.check(Number(button.dataset.view));
        this.eye();
        this.#pressed();
        const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
        byId("view").scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
        byId("view-canvas").focus({ preventScroll: true });
      });
    }
  }

  // A page is scrolled over the view unless somebody has taken it up.
  #keys() {
    const { canvas, controls } = this.viewer;
    canvas.addEventListener("keydown", (event) => {
      if (acted(event, { ...this.acts, ...this.play?.acts })) this.#pressed();
    });
    controls.enableZoom = false;
    canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
    canvas.addEventListener("focus", () => (controls.enableZoom = true));
    canvas.addEventListener("blur", () => (controls.enableZoom = false));
  }

  #boxes() {
    for (const box of document.querySelectorAll("input[data-piece]")) {
      box.checked = true;
      box.addEventListener("change", () => this.#show(Number(box.dataset.piece), box.checked));
    }
    byId("view-all")?.addEventListener("click", () => {
      for (const box of document.querySelectorAll("input[data-piece]")) box.checked = true;
      for (const piece of this.stage.pieces) piece.wanted = true;
      this.viewer.changed();
      this.say(this.told.words.all);
    });
  }

  #show(index, wanted) {
    const piece = this.stage.pieces[index];
    piece.wanted = wanted;
    this.viewer.changed();
    this.say(filled(wanted ? this.told.words.shown : this.told.words.hidden, { name: piece.name }));
  }

  check(number) {
    const view = this.told.views[number];
    if (!view) return;
    if (this.chosen) this.chosen.value = String(number);
    this.stage.chosen(view);
    this.viewer.changed();
    for (const [index, label] of this.labels.entries()) label.className = `${this.stage.part(index)} ${this.looks[index]}`;
    for (const part of document.querySelectorAll("[data-part]")) {
      part.textContent = this.told.words.parts[this.stage.part(Number(part.dataset.part))] || "";
    }
    const button = byId("view-eye");
    button.disabled = !view.eye;
    button.textContent = view.eye ? filled(this.told.words.eye, view) : this.told.words.noEye;
    this.play?.paired(view);
  }

  eye() {
    const { view } = this.stage;
    if (view.eye) this.viewer.eye();
    else this.viewer.table();
    this.say(this.#about(view.eye ? this.told.words.fromEye : this.told.words.check));
  }

  #pressed() {
    byId("view-eye").setAttribute("aria-pressed", String(this.viewer.fromEye));
  }

  #about(template) {
    return filled(template, this.stage.view);
  }

  say(words) {
    byId("view-told").textContent = words;
  }
}

let newest = null; // the table that was opened last

// A page of what it holds, or of what was made in it: {words, bytes or packed, shapes, pieces, views, floor, play}. Where the
// view cannot be drawn the page says so, and judges all the same.
export async function opened(told) {
  const own = (newest = {});
  const judge = told.play && judging(told);
  const play = judge && new Play(told, judge);
  const missing = byId("view-missing");
  byId("view-shown").hidden = false;
  try {
    const stage = await staged(told, told.bytes || (await unpacked(told.packed)));
    // Starting WebGL holds a phone for a second: what the judge says first is shown before.
    if (play?.asking) await Promise.race([play.first.then(breath), breath(LATEST)]);
    if (newest === own) window.silhouette = Object.assign(new Page(told, stage, judge, play), play?.shared);
    else judge?.end(); // another table has been opened meanwhile
    missing.hidden = true;
  } catch (error) {
    document.documentElement.dataset.view = String(error);
    missing.textContent = told.words.missing;
    missing.hidden = false;
    for (const button of document.querySelectorAll("button[data-view]")) button.hidden = true;
    byId("view-shown").hidden = !play?.asking;
    for (const part of [...byId("view-shown").children, byId("play-turns")]) if (part) part.hidden ||= part.id !== "play";
    if (play?.asking && newest === own) window.silhouette = { judge, play, ...play.shared };
  }
}

const breath = (ms = 0) => new Promise((go) => setTimeout(go, ms));

// The stage of a page; between its shapes whatever else has come is heard.
async function staged(told, bytes) {
  const stage = new Stage();
  let since = performance.now();
  for (const [number, shape] of told.shapes.entries()) {
    stage.shaped(number, shapeOf(bytes, shape));
    if (performance.now() - since < PATIENT) continue;
    await breath();
    since = performance.now();
  }
  stage.stand(told);
  return stage;
}

export async function started() {
  const held = byId("stage");
  if (!held) return;
  const told = JSON.parse(held.textContent);
  copying(told.words);
  if (!told.pieces) return;
  // On a site meshes lie in files of their own, which pages share, and the page has their names.
  if (Array.isArray(told.packed)) told.packed = told.packed.map((name) => window.silhouetteMeshes[name]);
  await opened(told);
}
