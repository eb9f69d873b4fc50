// The visitor's own meshes: files from his disk become figures and terrain, on a table of their own or on the one that the
// page shows, and the page judges. All of it stays on his device; the scene file and the meshes can be taken away, and are
// judged the same by the command.
import { Example, WITH_OWN } from "./own_example.js";
import { meshOf, Refused } from "./own_meshes.js";
import { entriesOf, foundBase, foundEyes, MM_PER_UNIT, modelOf, packed } from "./own_pieces.js";
import { piecesOf, sceneOf, zipped } from "./own_zip.js";
import { filled } from "./verdicts.js";

export { meshOf, merged } from "./own_meshes.js";
export { entriesOf, foundBase, foundEyes, modelOf, packed } from "./own_pieces.js";
export { sceneOf, zipped } from "./own_zip.js";

const byId = (id) => document.getElementById(id);
const FIRST_AT = { fighter: [[0, 0, 0], [0, 200, 0]], terrain: [[0, 100, 0]] };
const STEP = 60; // mm: how far further pieces stand from those before
const LEAST_SPAN = 150; // mm on each side of the table's middle
const INCH = 25.4;
const EXPECTED = [Refused, SyntaxError, RangeError, TypeError, DOMException]; // of files, and of folders, which are none
const LOOK = 30; // ms, in which what is said is shown

// A length in the language of the page.
function inTenths(value) {
  return value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false });
}

// Units, and the axis that is up, which make a mesh about as large as its kind is; he sees it.
function sizedAs(mesh, size, kind) {
  const [least, most] = kind === "terrain" ? [10, 600] : [8, 180]; // mm across, or high
  for (const up of [mesh.up, "y"]) {
    const length = kind === "terrain" ? Math.max(...size) : size[up === "y" ? 1 : 2];
    const units = [mesh.units, "mm", "cm", "m", "inch"].find((unit) => unit && length * MM_PER_UNIT[unit] >= least && length * MM_PER_UNIT[unit] <= most);
    if (units) return { units, up };
  }
  return { units: "mm", up: mesh.up };
}

class Own {
  // ``told.source``: the scene file of the table that the page shows, if it shows one.
  constructor(told) {
    this.told = told;
    this.words = told.own;
    this.example = null; // until there is something to stand on it
    this.pieces = [];
    this.shown = []; // those of them that stand on the table
    this.doubts = []; // what is to be said of the others
    this.chosen = []; // who looks, at whom, and what is moved
    this.camera = null;
    this.first = undefined; // the name of a piece that looks from now on
    this.blank = byId("view").cloneNode(true);
    byId("own-files").addEventListener("change", ({ target }) => this.added([...target.files]).then(() => (target.value = "")));
    byId("own-take").addEventListener("click", () => this.#taken());
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.added([...event.dataTransfer.files]);
    });
    if (told.source === undefined) this.#shown();
  }

  say(text) {
    byId("own-told").textContent = text;
  }

  async added(files) {
    if (!files.length) return;
    if (this.told.source !== undefined) this.example ??= this.#page();
    this.#moved();
    const refused = [];
    let isMended = true; // whether what is refused says what can be done
    const before = this.pieces.length;
    this.say(this.words.reading);
    await new Promise((go) => setTimeout(go, LOOK)); // what is read and found in its shape holds the page for a while
    for (const file of files) {
      try {
        const bytes = new Uint8Array(await file.arrayBuffer());
        const mesh = await meshOf(file.name, bytes);
        this.#put(file.name, bytes, mesh);
      } catch (error) {
        if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
        const known = error instanceof DOMException ? new Refused("folder") : error instanceof Refused ? error : new Refused("damaged");
        refused.push(known.line(file.name, this.words));
        isMended &&= known.isMended;
      }
    }
    if (this.example) this.first = this.pieces[before]?.name ?? this.first;
    await this.#shown(this.pieces.length > before);
    const lines = [...refused, ...(isMended ? [] : [this.words.desk]), ...this.doubts];
    this.say(lines.length ? lines.join("\n") : filled(this.words.added, { count: files.length }));
  }

  // After a change by hand: what was said before it is over.
  async #changed() {
    await this.#shown();
    this.say(this.doubts.join("\n"));
  }

  // The table that the page shows.
  #page() {
    const stage = JSON.parse(byId("stage").textContent);
    Object.assign(stage.words.play, this.told.play);
    byId("own-on-table").open = true;
    return new Example(stage, this.told.source);
  }

  #put(file, bytes, mesh) {
    const size = [0, 1, 2].map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (let at = axis; at < mesh.points.length; at += 3) [low, high] = [Math.min(low, mesh.points[at]), Math.max(high, mesh.points[at])];
      return high - low;
    });
    const stem = file.replace(/\.[^.]*$/, "").trim() || this.words.piece;
    let name = stem;
    for (let number = 2; this.#isTaken(name); number += 1) name = `${stem} ${number}`;
    const figures = this.pieces.filter(({ kind }) => kind === "fighter").length;
    const kind = this.example || figures < 2 ? "fighter" : "terrain";
    const { units, up } = sizedAs(mesh, size, kind);
    const piece = { name, kind, gang: filled(this.words.gangNumber, { number: Math.min(figures, 1) + 1 }), source: file, bytes, mesh, units, up, stood: null, base: "auto", found: new Map(), height: null, diameter: null, eyeHeight: null };
    this.pieces.push({ ...piece, ...this.#place(kind) });
  }

  #isTaken(name, but = null) {
    return this.pieces.some((piece) => piece !== but && piece.name === name) || Boolean(this.example?.names.includes(name));
  }

  #place(kind) {
    if (this.example) return { at: this.example.place(this.pieces.map((piece) => this.#placeOf(piece).at)), facing: 90 };
    const number = this.pieces.filter((piece) => piece.kind === kind).length;
    const first = FIRST_AT[kind];
    const at = first[number % first.length].map((value, axis) => value + (axis === 0 ? STEP * Math.floor(number / first.length) : 0));
    return { at, facing: kind === "terrain" ? 0 : number % 2 ? 270 : 90 };
  }

  // A piece as the scene file has it: what was found in its shape is worked out once.
  #written(piece) {
    const isTerrain = piece.kind === "terrain";
    const isGiven = !isTerrain && piece.base === "given" && piece.height > 0;
    const height = isGiven ? piece.height : !isTerrain && piece.base === "auto" ? this.#once(piece, "base", () => foundBase(piece.mesh, piece)) : null;
    return {
      ...piece,
      height,
      diameter: isGiven && piece.diameter > 0 ? piece.diameter : null,
      isBaseClear: isTerrain || piece.base === "none" || height !== null,
      eye: !isTerrain && piece.eyeHeight > 0 ? [0, 0, piece.eyeHeight] : null,
    };
  }

  // The places of the eye of a figure, where it is not given; none where its base is unclear, and the desk is asked anyway.
  #eyes(model, own) {
    return own.kind === "terrain" || own.eye || !own.isBaseClear ? null : this.#once(own, `eyes ${own.height}`, () => foundEyes(model, own, this.told.heads));
  }

  #once({ found, units, up }, what, find) {
    const key = `${what} ${units} ${up}`;
    if (!found.has(key)) found.set(key, find());
    return found.get(key);
  }

  // Where a piece stands now, wherever it was moved to in the view.
  #placeOf({ at, facing, stood }) {
    return stood ? { at: [...stood[0]], facing: (((facing + stood[1]) % 360) + 360) % 360 } : { at: [...at], facing };
  }

  #standing() {
    this.#moved();
    return this.shown.map((piece) => ({ ...piece, ...this.#placeOf(piece) }));
  }

  // What was moved in the view, and who looks at whom there, is kept for the next one.
  #moved() {
    const { play, viewer } = window.silhouette ?? {};
    this.camera = viewer?.standing ?? this.camera;
    if (!play?.asking) return;
    this.example?.left(play);
    const own = play.pieces.length - this.shown.length;
    for (const [index, piece] of this.shown.entries()) {
      const { at, turn } = play.pieces[own + index];
      piece.stood = [[...at], turn];
    }
    this.chosen = [play.attacker, play.target, play.pieces.indexOf(play.piece)].map((number) => this.shown[number - own] ?? play.pieces[number]);
  }

  // The view of the table so far is left.
  #left() {
    this.#moved();
    const page = window.silhouette;
    page?.judge?.end();
    page?.viewer?.renderer.dispose();
    page?.viewer?.renderer.forceContextLoss();
    window.silhouette = undefined;
  }

  // The table is set anew, and the view as well, which is made for one table; where a piece is new, all of it is in sight.
  async #shown(isNew = false) {
    this.#left();
    if (isNew) this.camera = null;
    const shown = (this.shown = []);
    const [models, entries] = [[], []];
    this.doubts = [];
    for (const piece of this.pieces) {
      try {
        const own = this.#written(piece);
        const model = modelOf(piece.mesh, own);
        piece.size = [0, 1, 2].map((axis) => model.box[1][axis] - model.box[0][axis]);
        const eyes = this.#eyes(model, own);
        piece.shape = { height: own.height, eyes };
        entries.push(entriesOf(model, { ...own, eyes }, models.length));
        models.push(model);
        this.shown.push(piece);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.doubts.push(error.line(piece.name, this.words));
      }
    }
    setTimeout(() => this.#listed()); // whatever comes next has the focus then
    const view = this.blank.cloneNode(true);
    byId("view").replaceWith(view);
    view.hidden = !models.length && !this.example;
    byId("own-take").disabled = !models.length;
    if (!this.example && !models.length) return;
    await window.silhouetteViewer.opened(this.example ? await this.example.document(packed(models), entries) : this.#document(models, entries));
    // Where it was set anew again meanwhile, that stands by now, and may have been moved.
    if (window.silhouette && this.shown === shown) this.#stands(window.silhouette);
  }

  // All stands again where it was moved to, and is seen as before; ``first``, which has just come, looks at whom was looked at.
  #stands({ play, viewer }) {
    if (play?.asking) {
      const own = play.pieces.length - this.shown.length;
      const places = this.shown.flatMap(({ stood }, index) => (stood ? [[own + index, ...stood]] : []));
      const [looks, ...others] = this.chosen.map((piece) => piece?.name);
      const isFirst = this.first !== undefined;
      const numbers = (isFirst ? [this.first, others[0]] : [looks, ...others]).map((name) => play.pieces.findIndex((piece) => piece.name === name));
      play.stood([...(this.example?.places(play) ?? []), ...places], numbers);
    }
    const { camera } = this;
    if (camera?.fromEye) byId("view-eye").click();
    else if (camera) viewer?.go(camera.position, camera.target, camera.angle, false);
    this.first = undefined;
  }

  #document(models, entries) {
    const { shapes, bytes } = packed(models);
    const play = { ...this.told.play, pieces: entries.map((entry) => entry.play), unit: 1, scene: "scene.toml" };
    const pieces = entries.map((entry) => entry.stage);
    const figures = this.shown.map((_, index) => index).filter((index) => pieces[index].kind !== "terrain");
    const reach = Math.max(LEAST_SPAN, ...this.shown.flatMap((piece) => [0, 1].map((axis) => Math.abs(this.#placeOf(piece).at[axis]) + piece.size[axis])));
    const far = INCH * Math.ceil((1.3 * reach) / INCH);
    const [attacker, target] = figures;
    const name = attacker === undefined ? "" : pieces[attacker].name;
    const sight = { blockers: [], aside: [], lines: [], measured: true, free: true, verdict: "" };
    const views = figures.length < 2 ? [] : [{ ...sight, attacker, target, eye: play.pieces[attacker].looks[0].eye, who: `${name} → ${pieces[target].name}`, eyeLabel: filled(this.told.words.play.eyeLabel, { name }), eyeTold: filled(this.told.words.play.eyeTold, { name }) }];
    return { words: this.told.words, bytes, shapes, pieces, views, play, floor: { height: 0, step: INCH, span: [[-far, -far], [far, far]] } };
  }

  // The fields of each piece.
  #listed() {
    const made = (tag, properties = {}, ...children) => {
      const node = Object.assign(document.createElement(tag), properties);
      node.append(...children);
      return node;
    };
    const rows = this.pieces.map((piece, index) => {
      const field = (label, node) => made("label", {}, made("span", { textContent: label }), node);
      const set = (key, value) => {
        const isOther = piece[key] !== value;
        piece[key] = value;
        if (key === "kind" && isOther) {
          this.#left();
          const others = this.pieces.filter((other) => other !== piece);
          const all = this.pieces;
          this.pieces = others;
          Object.assign(piece, this.#place(value), { stood: null });
          this.pieces = all;
        }
        this.#changed();
      };
      const choice = (key, options) => {
        const node = made("select", { id: `own-${index}-${key}` }, ...options.map(([value, text]) => new Option(text, value, false, value === piece[key])));
        node.addEventListener("change", () => set(key, node.value));
        return field(this.words[key], node);
      };
      const text = (key) => {
        const node = made("input", { id: `own-${index}-${key}`, value: piece[key], required: true });
        node.addEventListener("change", () => {
          const value = node.value.trim();
          if (value && !(key === "name" && this.#isTaken(value, piece))) set(key, value);
          else node.value = piece[key];
        });
        return field(this.words[key], node);
      };
      const number = (key) => {
        const node = made("input", { id: `own-${index}-${key}`, type: "number", min: 0, step: "any", value: piece[key] ?? "", placeholder: hints[key] ?? "" });
        node.addEventListener("change", () => {
          const isFit = !node.validity.badInput && (node.value === "" || Number(node.value) > 0);
          const remark = isFit ? "" : filled(this.words.positive, { name: piece.name, field: this.words[key] });
          node.setCustomValidity(remark);
          node.setAttribute("aria-invalid", String(!isFit));
          if (isFit) set(key, node.value === "" ? null : Number(node.value));
          else this.say(remark);
        });
        return field(this.words[key], node);
      };
      // Terrain is dragged, or stands where its numbers say.
      const place = (key, get, put) => {
        const node = made("input", { id: `own-${index}-${key}`, type: "number", step: "any", value: get(this.#placeOf(piece)) });
        node.addEventListener("change", () => {
          this.#left();
          Object.assign(piece, this.#placeOf(piece), { stood: null });
          put(Number(node.value));
          set("kind", piece.kind);
        });
        return field(this.words[key], node);
      };
      const isFigure = piece.kind === "fighter";
      const { height, eyes } = piece.shape || {};
      const found = isFigure && piece.base === "auto" && height ? filled(this.words.found, { height: inTenths(height) }) : this.words.unclear;
      const hints = { eyeHeight: eyes ? `${inTenths(eyes[0].eye[2])} ${this.words.estimated}` : "" };
      const size = piece.size ? `${piece.size.map(inTenths).join(" × ")} mm` : "";
      const remove = made("button", { type: "button", id: `own-${index}-remove`, textContent: `${this.words.remove} ${piece.name}` });
      remove.addEventListener("click", () => {
        this.#left();
        this.pieces.splice(this.pieces.indexOf(piece), 1);
        this.#changed();
      });
      const fields = [text("name"), choice("kind", [["fighter", this.words.figure], ["terrain", this.words.terrain]]), choice("units", ["mm", "cm", "m", "inch"].map((unit) => [unit, unit])), choice("up", [["z", "z"], ["y", "y"]])];
      if (isFigure) fields.push(text("gang"), choice("base", [["auto", found], ["none", this.words.none], ["given", this.words.given]]));
      if (isFigure && piece.base === "given") fields.push(number("height"), number("diameter"));
      if (isFigure) fields.push(number("eyeHeight"));
      else fields.push(place("x", ({ at }) => at[0], (value) => (piece.at[0] = value)), place("y", ({ at }) => at[1], (value) => (piece.at[1] = value)), place("turn", ({ facing }) => facing, (value) => (piece.facing = value)));
      return made("fieldset", {}, made("legend", { textContent: filled(this.words.sized, { label: piece.name, text: size }) }), made("div", { className: "own-fields" }, ...fields), remove);
    });
    const list = byId("own-pieces");
    const focused = list.contains(document.activeElement) ? document.activeElement.id : null;
    list.replaceChildren(...rows);
    if (focused === null) return;
    const next = byId(focused) ?? byId(`own-${rows.length - 1}-remove`) ?? byId("own-files"); // after the last has gone
    next.focus({ preventScroll: true });
    next.select?.();
  }

  // The scene file and the meshes, as they stand now.
  #taken() {
    const files = new Map();
    const pieces = this.#standing().map((piece, index) => {
      const file = `meshes/${index + 1}-${piece.source.replace(/[^\w.-]/g, "_")}`;
      files.set(file, piece.bytes);
      return { ...this.#written(piece), file };
    });
    const scene = this.example ? this.#withExample(pieces) : this.#scene(pieces);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(zipped([[this.example ? WITH_OWN : "scene.toml", new TextEncoder().encode(scene)], ...files]));
    link.download = "scene.zip";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    const figures = pieces.filter(({ kind }) => kind === "fighter");
    this.say(this.example || figures.length > 1 ? this.words.taken : this.words.few);
  }

  #scene(pieces) {
    const play = window.silhouette?.play;
    const figures = pieces.filter(({ kind }) => kind === "fighter").map(({ name }) => name);
    const first = play?.asking ? [[play.pieces[play.attacker].name, play.pieces[play.target].name]] : [];
    const others = figures.flatMap((one) => figures.filter((other) => other !== one).map((other) => [one, other]));
    const checks = [...new Map([...first, ...others].filter(([a, b]) => a !== b).map((pair) => [JSON.stringify(pair), pair])).values()];
    return sceneOf(pieces, checks, { title: this.words.title, rules: this.told.rules });
  }

  // The scene file of the table that the page shows, with the visitor's pieces; lengths of places are in its unit.
  #withExample(pieces) {
    const { source, told } = this.example;
    const { unit } = told.play;
    return `${source.trimEnd()}\n${piecesOf(pieces.map((piece) => ({ ...piece, at: piece.at.map((value) => value / unit) })))}`;
  }
}

const held = typeof document === "undefined" ? null : byId("own");
if (held) window.silhouetteOwnTable = new Own(JSON.parse(held.textContent));
