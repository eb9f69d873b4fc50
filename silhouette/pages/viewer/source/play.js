// A report that is played with: figures are dragged and turned, and the judge says at once who sees whom.
import { Asking } from "./asking.js";
import { gangsOf, lookOf, ringOf } from "./gangs.js";
import { angleOf, ARROWS, axesOf, Grip, inSteps, isStill, Pointer, stepOf, TURN } from "./gestures.js";
import { ASK, Piece, TOO_CLOSE } from "./judge_necromunda.js";
import { gangEntries, levelEntries, listed } from "./legend.js";
import { filled, share, sightOf, SIGNS } from "./verdicts.js";

const byId = (id) => document.getElementById(id);
const WAYS = { left: "ArrowLeft", right: "ArrowRight", away: "ArrowUp", near: "ArrowDown" };
const KEYS = { PageUp: "up", PageDown: "down", ",": "anticlockwise", ".": "clockwise", "[": "anticlockwise", "]": "clockwise" };
for (const [name, key] of Object.entries(WAYS)) KEYS[key] = name;
const BLIND = { blockers: [], aside: [], lines: [], measured: false, free: true };

// The judge of a page, which unpacks its meshes while the view is made.
export function judging({ packed, bytes, shapes, pieces, play }) {
  const script = new Blob([JSON.parse(byId("judge").textContent)], { type: "text/javascript" });
  const asking = new Asking(URL.createObjectURL(script), () => {});
  asking.tell({ packed, bytes, shapes, pieces, play });
  return asking;
}

export class Play {
  // The judge is asked at once: its word stands there before the view does, which takes a phone seconds.
  constructor(told, judge) {
    this.told = told;
    this.page = null; // until the view is made
    this.words = told.words.play;
    this.pieces = told.pieces.map((piece, number) => new Piece({ ...piece, ...told.play.pieces[number] }));
    this.models = this.pieces.map((piece, number) => number).filter((number) => this.pieces[number].kind !== "terrain");
    this.movable = this.pieces.map((piece, number) => number).filter((number) => this.pieces[number].kind !== "terrain" || this.pieces[number].own);
    this.answers = new Map(); // what the attacker sees of each other model, by its name
    this.looks = null; // the attacker of these
    if (this.models.length < 2) return;
    this.#controls();
    this.asking = judge;
    this.first = new Promise((come) => {
      this.asking.answered = (pair, result) => {
        this.#answered(pair, result);
        come();
      };
    });
    this.#ask();
    byId("play").hidden = false;
  }

  // The view is made.
  shown(page) {
    this.page = page;
    if (!this.asking) return;
    this.#dragging();
    this.#look();
  }

  // The looks of gangs, where there are several; null for what belongs to none.
  look(number) {
    const models = this.models.map((model) => this.pieces[model]);
    const { kind, gang } = this.pieces[number];
    return kind !== "terrain" && gangsOf(models).length > 1 ? lookOf(models, gang) : null;
  }

  get isBusy() {
    return this.asking?.isBusy ?? true;
  }

  // The pair of a check that somebody has chosen on the page.
  paired(view) {
    if (!this.asking || !this.models.includes(view.attacker) || !this.models.includes(view.target)) return;
    byId("play-attacker").value = view.attacker;
    byId("play-target").value = view.target;
    this.#chosen();
  }

  get attacker() {
    return Number(byId("play-attacker").value);
  }

  get target() {
    return Number(byId("play-target").value);
  }

  #controls() {
    for (const [id, numbers] of [["play-attacker", this.models], ["play-target", this.models], ["play-piece", this.movable]]) {
      byId(id).append(...numbers.map((number) => new Option(this.pieces[number].name, number)));
    }
    const view = this.told.views[0];
    byId("play-attacker").value = view ? view.attacker : this.models[0];
    byId("play-target").value = view ? view.target : this.models[1];
    byId("play-piece").value = byId("play-attacker").value;
    for (const id of ["play-attacker", "play-target"]) byId(id).addEventListener("change", () => this.#chosen());
    const moved = (by) => this.#moved(this.#piece.at.map((value, axis) => value + stepOf() * by[axis]), this.#piece.turn);
    const acts = { up: () => moved([0, 0, 1]), down: () => moved([0, 0, -1]), anticlockwise: () => this.#moved(this.#piece.at, this.#piece.turn + TURN), clockwise: () => this.#moved(this.#piece.at, this.#piece.turn - TURN) };
    for (const [name, key] of Object.entries(WAYS)) {
      const [axis, way] = ARROWS[key];
      acts[name] = () => this.page && moved([...axesOf(this.page.viewer)[axis].map((value) => way * value), 0]);
    }
    for (const [name, act] of Object.entries(acts)) byId(`play-${name}`).addEventListener("click", act);
    byId("view-canvas").addEventListener("keydown", (event) => {
      const act = acts[event.key.startsWith("Arrow") && !event.shiftKey ? "" : KEYS[event.key]];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      act();
    }, true);
    byId("play-turns").addEventListener("click", (event) => {
      this.turns = !this.turns;
      event.currentTarget.setAttribute("aria-pressed", String(this.turns));
    });
    byId("play-back").addEventListener("click", () => this.#back());
    byId("play-copy").addEventListener("click", () => this.#copy());
  }

  get #piece() {
    return this.pieces[Number(byId("play-piece").value)];
  }

  // A finger or the mouse on a figure takes it along, or turns it, as a second finger does; beside it the view is turned, as
  // always.
  #dragging() {
    const { viewer } = this.page;
    const frame = viewer.canvas.parentElement;
    const pointer = new Pointer(viewer);
    const fingers = new Map();
    let held = null;
    const on = (type, act) => frame.addEventListener(type, act, true);
    on("pointerdown", (event) => {
      if (event.target !== viewer.canvas || viewer.fromEye) return;
      if (held) {
        this.#taken(event, fingers);
        if (fingers.size === 2) Object.assign(held, { isDone: true, turn: this.#piece.turn, start: [...this.#piece.at], angle: angleOf(fingers) });
        return;
      }
      if (event.button !== 0) return;
      const shown = this.page.stage.pieces.filter((piece) => piece.mesh && piece.group.visible);
      const hit = pointer.at(event.clientX, event.clientY).intersectObjects(shown.map((piece) => piece.mesh), false)[0];
      const number = hit ? this.page.stage.pieces.findIndex((piece) => piece.mesh === hit.object) : -1;
      if (!this.movable.includes(number)) return;
      this.#taken(event, fingers);
      viewer.canvas.focus({ preventScroll: true });
      byId("play-piece").value = number;
      const piece = this.pieces[number];
      const from = [event.clientX, event.clientY];
      const grip = new Grip((...place) => pointer.ground(...place), from, hit.point.z, piece.at);
      held = { grip, from, isTurn: this.turns || event.shiftKey, start: [...piece.at], turn: piece.turn, angle: null };
    });
    on("pointermove", (event) => {
      if (!held || !fingers.has(event.pointerId)) return;
      event.stopPropagation();
      const [x, y] = [event.clientX, event.clientY];
      fingers.set(event.pointerId, [x, y]);
      held.isMoved ||= fingers.size > 1 || !isStill(event, held.from, x, y);
      if (held.isMoved) this.#dragged(held, fingers, [x, y], event);
    });
    const released = ({ pointerId }) => {
      fingers.delete(pointerId);
      if (!fingers.size) held = null;
    };
    on("pointerup", released);
    on("pointercancel", released);
  }

  // A press that is not the camera's.
  #taken(event, fingers) {
    event.stopPropagation();
    event.preventDefault();
    this.page.viewer.canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  #dragged(held, fingers, [x, y], { altKey, shiftKey }) {
    if (fingers.size > 1) {
      this.#moved(held.start, held.turn + inSteps(angleOf(fingers) - held.angle, altKey || shiftKey));
      return;
    }
    if (held.isDone) return; // the finger that is left of two
    const place = held.isTurn ? held.grip.ground(x, y, held.grip.height) : held.grip.to(x, y);
    if (!place) return;
    if (!held.isTurn) {
      this.#moved([...place, held.start[2]], held.turn);
      return;
    }
    const angle = (Math.atan2(place[1] - held.start[1], place[0] - held.start[0]) * 180) / Math.PI;
    held.angle ??= angle;
    this.#moved(held.start, held.turn + angle - held.angle);
  }

  #moved(at, turn) {
    const piece = this.#piece;
    piece.place(at, turn);
    this.#stands(this.pieces.indexOf(piece));
    this.#chosen();
  }

  // A piece of the view stands where its own does.
  #stands(number) {
    const stage = this.page?.stage;
    stage?.moved(stage.pieces[number], this.pieces[number].now);
  }

  #back() {
    for (const [number, piece] of this.pieces.entries()) {
      piece.reset();
      this.#stands(number);
    }
    this.#chosen();
  }

  // Where pieces stand, [number, at, turn] each, and who looks at whom, where that is said.
  stood(places, [attacker, target]) {
    for (const [number, at, turn] of places) {
      this.pieces[number].place(at, turn);
      this.#stands(number);
    }
    if (attacker !== undefined) byId("play-attacker").value = byId("play-piece").value = attacker;
    if (target !== undefined && target !== attacker) byId("play-target").value = target;
    this.#chosen();
  }

  #chosen() {
    if (this.looks !== this.attacker) this.answers.clear();
    this.looks = this.attacker;
    if (this.attacker === this.target) byId("play-answer").textContent = "";
    this.#others();
    this.#look();
    this.#ask();
  }

  // The chosen pair first, then whether the attacker sees all others.
  #ask() {
    const name = (number) => this.pieces[number].name;
    const pairsWith = (numbers) => numbers.filter((number) => number !== this.attacker).map((number) => [name(this.attacker), name(number)]);
    const places = this.pieces.map((piece) => [piece.at, piece.turn]);
    this.asking.ask({ places, pairs: pairsWith([this.target]), brief: pairsWith(this.models.filter((number) => number !== this.target)) });
  }

  #answered([attacker, target], result) {
    if (attacker !== this.pieces[this.attacker].name) return;
    this.looks = this.attacker;
    this.answers.set(target, result);
    this.#look();
    if (target === this.pieces[this.target].name) this.#answer(result);
    this.#others();
  }

  // The colours of the chosen pair, and a line from the attacker to each other model.
  #look() {
    if (!this.page) return;
    const { stage, viewer } = this.page;
    const [attacker, target] = [this.pieces[this.attacker], this.pieces[this.target]];
    const answer = this.answers.get(target.name);
    const look = attacker.looks[0];
    if (!look || attacker === target) return;
    const eye = attacker.carried(look.eye);
    const size = stage.sphere.radius;
    const lines = this.models.filter((number) => number !== this.attacker).flatMap((number) => {
      const { min, max } = stage.pieces[number].body;
      const middle = [(min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2];
      return sightOf(eye, middle, this.#level(this.answers.get(this.pieces[number].name)), size, { isChosen: number === this.target });
    });
    const arcs = look.arcs?.map((arc) => [...attacker.turned(arc.right), ...attacker.turned(arc.left)]);
    stage.chosen({
      ...BLIND,
      who: `${attacker.name} → ${target.name}`,
      verdict: answer ? this.#word(answer) : "",
      attacker: this.attacker,
      target: this.target,
      blockers: (answer?.blockers || []).map(({ name }) => this.pieces.findIndex((piece) => piece.name === name)),
      eye,
      measured: true,
      free: this.#level(answer) !== "blocked",
      lines: [...lines, ...this.models.flatMap((number) => this.#ring(number, size))],
      ...(arcs ? { arcs, apex: attacker.carried(look.arcs[0]?.apex || look.eye.slice(0, 2)) } : {}),
    });
    if (viewer.fromEye) viewer.eye(false);
    viewer.changed();
  }

  #word({ word }) {
    return this.words[word] || word;
  }

  // How exposed that leaves a target; undefined where nothing is said.
  #level(answer) {
    return this.told.play.levels[answer?.word === TOO_CLOSE ? answer.verdict : answer?.word];
  }

  // The ring of a gang, where there are several.
  #ring(number, size) {
    const look = this.look(number);
    const { base, pose, at } = this.pieces[number];
    const core = base.core.map((point) => this.pieces[number].carried(point));
    return look ? ringOf(look, { core, radius: base.radius, height: base.span[0] - pose[11] + at[2] }, size) : [];
  }

  #share(value) {
    return share(value, this.words, document.documentElement.lang || "en");
  }

  #answer(answer) {
    const values = {
      who: `${this.pieces[this.attacker].name} → ${this.pieces[this.target].name}`,
      verdict: this.#word(answer),
      could: answer.could.map((word) => this.words[word]).join(", "),
      why: this.words[`why ${answer.why}`] || "",
      share: answer.share === undefined ? "" : this.#share(answer.share),
      bound: answer.bound === undefined ? "" : this.#share(Math.max(answer.bound, 0)),
      by: answer.blockers.map(({ name, share }) => `${name} ${this.#share(share)}`).join(", "),
    };
    const isAsked = answer.word === ASK;
    const parts = [filled(isAsked ? this.words.asked : answer.could.length > 1 ? this.words.close : this.words.ruled, values)];
    if (!isAsked && answer.inArc === 0) parts.push(this.words["out of arc"]);
    else if (!isAsked) parts.push(filled(this.words[!answer.blockers.length ? "share" : answer.bound < 5e-4 ? "by" : "doubtful"], values));
    const { estimated } = this.pieces[this.attacker];
    if (!isAsked && estimated) parts.push(this.words[estimated]);
    const told = parts.join(" ");
    if (byId("play-answer").textContent !== told) byId("play-answer").textContent = told;
    byId("play-answer").dataset.word = answer.word;
  }

  #others() {
    const rows = this.models.filter((number) => number !== this.attacker).map((number) => {
      const row = document.createElement("li");
      const answer = this.answers.get(this.pieces[number].name);
      const sign = SIGNS[this.#level(answer)];
      row.textContent = `${this.pieces[number].name}: ${sign ? `${sign} ` : ""}${answer ? this.#word(answer) : "…"}`;
      return row;
    });
    byId("play-others").replaceChildren(...rows);
    const verdicts = [...this.answers.values()].map(({ word }) => word);
    const models = this.models.map((number) => this.pieces[number]);
    const gangs = gangsOf(models).length > 1 ? gangEntries(models, this.words.gang) : [];
    listed(byId("play-legend"), [...levelEntries(verdicts, this.told.play.levels, this.words), ...gangs]);
  }

  // The command that judges the same table at the desk.
  #copy() {
    const { unit, scene } = this.told.play;
    const short = (value) => String(Math.round(value * 1e4) / 1e4);
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    const moved = this.pieces.filter((piece) => piece.turn || piece.at.some((value, axis) => value !== piece.pose[4 * axis + 3]));
    const tried = moved.map((piece) => {
      const facing = piece.looks[0] ? `,${short(piece.looks[0].facing + piece.turn)}` : "";
      return ` --at ${quoted(`${piece.name}=${short(piece.at[0] / unit)},${short(piece.at[1] / unit)}${facing}`)}`;
    });
    const [from, to] = [this.pieces[this.attacker].name, this.pieces[this.target].name];
    const command = `silhouette check ${quoted(scene)}${tried.join("")} --from ${quoted(from)} --to ${quoted(to)}`;
    byId("play-command").textContent = command;
    byId("play-command").hidden = false;
    const selected = () => window.getSelection().selectAllChildren(byId("play-command"));
    if (navigator.clipboard?.writeText) navigator.clipboard.writeText(command).catch(selected);
    else selected();
  }
}
