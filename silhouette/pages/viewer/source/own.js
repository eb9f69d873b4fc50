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
const LOOK = 30; // ms, in which what is said is shown

// A length in the language of the page.
function inTenths(value) {
  return value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false });
}

class Own {
  // ``told.source``: the scene file of the table that the page shows, if it shows one.
  constructor(told) {
    this.told = told;
    this.words = told.own;
    this.example = null; // until there is something to stand on it
    this.pieces = [];
    this.shown = []; // those of them that stand on the table
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
        if (!(error instanceof Refused || error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError)) throw error;
        const known = error instanceof Refused;
        refused.push(known ? error.line(file.name, this.words) : filled(this.words.refused, { name: file.name, why: this.words.damaged }));
        isMended &&= known && error.isMended;
      }
    }
    await this.#shown(this.pieces[before]?.name);
    this.say(refused.length ? [...refused, ...(isMended ? [] : [this.words.desk])].join("\n") : filled(this.words.added, { count: files.length }));
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
    const tall = size[mesh.up === "y" ? 1 : 2];
    const stem = file.replace(/\.[^.]*$/, "").trim() || this.words.piece;
    let name = stem;
    for (let number = 2; this.#isTaken(name); number += 1) name = `${stem} ${number}`;
    const figures = this.pieces.filter(({ kind }) => kind === "fighter").length;
    const kind = this.example || figures < 2 ? "fighter" : "terrain";
    const usual = kind === "terrain" ? [10, 600] : [8, 180]; // mm across, or high: which units make it so; he sees it
    const length = kind === "terrain" ? Math.max(...size) : tall;
    const isUsual = (unit) => length * MM_PER_UNIT[unit] >= usual[0] && length * MM_PER_UNIT[unit] <= usual[1];
    const units = [mesh.units, "mm", "cm", "m", "inch"].find((unit) => unit && isUsual(unit)) || "mm";
    const piece = { name, kind, gang: filled(this.words.gangNumber, { number: Math.min(figures, 1) + 1 }), source: file, bytes, mesh, units, up: mesh.up, base: "auto", found: new Map(), height: null, diameter: null, eyeHeight: null };
    this.pieces.push({ ...piece, ...this.#place(kind) });
  }

  #isTaken(name, but = null) {
    return this.pieces.some((piece) => piece !== but && piece.name === name) || Boolean(this.example?.names.includes(name));
  }

  #place(kind) {
    if (this.example) return { at: this.example.place(this.pieces.map(({ at }) => at)), facing: 90 };
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

  // The pieces as they stand now, wherever they were moved to in the view.
  #standing() {
    const play = window.silhouette?.play;
    const moved = play?.asking ? play.pieces.filter(({ own }) => own) : [];
    return this.shown.map((piece, index) => {
      if (!moved[index]) return piece;
      const { at, turn } = moved[index];
      return { ...piece, at: [...at], facing: (((piece.facing + turn) % 360) + 360) % 360 };
    });
  }

  // Where pieces were moved to in the view, they stand from now on.
  #moved() {
    const play = window.silhouette?.play;
    if (!play?.asking) return;
    this.example?.left(play);
    for (const [index, { at, facing }] of this.#standing().entries()) Object.assign(this.shown[index], { at, facing });
    for (const piece of play.pieces) if (piece.own) piece.turn = 0;
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

  // The table is set anew: the view of a page is made for one table. ``first`` is the name of a piece that looks from now on.
  async #shown(first) {
    this.first = first ?? this.first; // also where another change comes before the view stands
    this.#left();
    this.shown = [];
    const [models, entries, doubts] = [[], [], []];
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
        doubts.push(error.line(piece.name, this.words));
      }
    }
    this.#listed();
    const view = this.blank.cloneNode(true);
    byId("view").replaceWith(view);
    view.hidden = !models.length && !this.example;
    byId("own-take").disabled = !models.length;
    if (this.example) {
      await this.#opened(await this.example.document(packed(models), entries));
      if (window.silhouette?.play) {
        this.example.stands(window.silhouette.play, this.first);
        this.first = undefined;
      }
    } else if (models.length) await this.#opened(this.#document(models, entries));
    if (doubts.length) this.say(doubts.join("\n"));
  }

  async #opened(told) {
    await window.silhouetteViewer.opened(told);
  }

  #document(models, entries) {
    const { shapes, bytes } = packed(models);
    const play = { ...this.told.play, pieces: entries.map((entry) => entry.play), unit: 1, scene: "scene.toml" };
    const pieces = entries.map((entry) => entry.stage);
    const figures = this.shown.map((_, index) => index).filter((index) => pieces[index].kind !== "terrain");
    const reach = Math.max(LEAST_SPAN, ...this.shown.flatMap(({ at, size }) => [Math.abs(at[0]) + size[0], Math.abs(at[1]) + size[1]]));
    const far = INCH * Math.ceil((1.3 * reach) / INCH);
    const [attacker, target] = figures;
    const name = attacker === undefined ? "" : pieces[attacker].name;
    const sight = { blockers: [], aside: [], lines: [], measured: true, free: true, verdict: "" };
    const views = figures.length < 2 ? [] : [{ ...sight, attacker, target, eye: play.pieces[attacker].looks[0].eye, who: `${name} → ${pieces[target].name}`, eyeLabel: filled(this.words.eyeLabel, { name }), eyeTold: filled(this.words.eyeTold, { name }) }];
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
          Object.assign(piece, this.#place(value));
          this.pieces = all;
        }
        const focus = document.activeElement?.id;
        this.#shown().then(() => focus && byId(focus)?.focus());
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
        node.addEventListener("change", () => set(key, node.value === "" ? null : Number(node.value)));
        return field(this.words[key], node);
      };
      // Terrain is dragged, or stands where its numbers say.
      const place = (key, get, put) => {
        const node = made("input", { id: `own-${index}-${key}`, type: "number", step: "any", value: get() });
        node.addEventListener("change", () => {
          this.#left(); // what was moved stands where it was moved to, before this one is put elsewhere
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
      const remove = made("button", { type: "button", textContent: `${this.words.remove} ${piece.name}` });
      remove.addEventListener("click", () => {
        this.#left();
        this.pieces.splice(index, 1);
        this.#shown();
      });
      const fields = [text("name"), choice("kind", [["fighter", this.words.figure], ["terrain", this.words.terrain]]), choice("units", ["mm", "cm", "m", "inch"].map((unit) => [unit, unit])), choice("up", [["z", "z"], ["y", "y"]])];
      if (isFigure) fields.push(text("gang"), choice("base", [["auto", found], ["none", this.words.none], ["given", this.words.given]]));
      if (isFigure && piece.base === "given") fields.push(number("height"), number("diameter"));
      if (isFigure) fields.push(number("eyeHeight"));
      else fields.push(place("x", () => piece.at[0], (value) => (piece.at[0] = value)), place("y", () => piece.at[1], (value) => (piece.at[1] = value)), place("turn", () => piece.facing, (value) => (piece.facing = value)));
      return made("fieldset", {}, made("legend", { textContent: `${piece.name}: ${size}` }), made("div", { className: "own-fields" }, ...fields), remove);
    });
    byId("own-pieces").replaceChildren(...rows);
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
    this.say(this.words.taken);
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
