// A report that is played with: figures are dragged and turned, and the judge says at once who sees whom.
import { Asking, rowOf } from "./asking.js";
import { Dragging } from "./dragging.js";
import { gangsOf, lookOf, ringOf } from "./gangs.js";
import { axesOf, stepOf, TURN, WAYS } from "./gestures.js";
import { ASK, Piece, TOO_CLOSE } from "./judge_necromunda.js";
import { keysListed } from "./keys.js";
import { gangEntries, levelEntries, listed } from "./legend.js";
import { blockersOf, EXACT, filled, inAWord, share, sightOf, SIGNS } from "./verdicts.js";

const byId = (id) => document.getElementById(id);
const STILL = 1e-6; // mm: what is off by no more than rounding stands where it stood
const NONE = ""; // in the choice of what is moved
const BLIND = { blockers: [], aside: [], lines: [], measured: false, free: true };

// The judge of a page, which unpacks its meshes while the view is made.
export function judging({ packed, bytes, shapes, pieces, play }) {
  // Pages of a site have its script in a file that they share.
  const source = window.silhouetteJudgeScript ?? JSON.parse(byId("judge").textContent);
  const script = new Blob([source], { type: "text/javascript" });
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
    this.results = null; // of pairs, by their names in JSON, for programs; null until one asks
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
    byId("play-keys").parentElement.hidden = false;
    keysListed(byId("play-keys"), Object.keys({ ...page.acts, ...this.acts }), this.told.words.keys);
    new Dragging(this);
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
    byId("play-piece").append(new Option(this.words.none, NONE));
    const view = this.told.views[0];
    byId("play-attacker").value = view ? view.attacker : this.models[0];
    byId("play-target").value = view ? view.target : this.models[1];
    byId("play-piece").value = byId("play-attacker").value;
    for (const id of ["play-attacker", "play-target"]) byId(id).addEventListener("change", () => this.#chosen());
    byId("play-piece").addEventListener("change", () => this.pick(byId("play-piece").value));
    const acts = this.#movingActs();
    for (const [name, act] of Object.entries(acts)) byId(`play-${name}`).addEventListener("click", () => act());
    this.acts = { ...acts, ...this.#choosingActs() };
    byId("play-turns").addEventListener("click", (event) => {
      this.turns = !this.turns; // whether dragging turns a piece
      event.currentTarget.setAttribute("aria-pressed", String(this.turns));
    });
    byId("play-back").addEventListener("click", () => this.#back());
    byId("play-copy").addEventListener("click", () => this.#copy());
  }

  // What moves and turns the piece that is chosen; arrows turn the view where none is.
  #movingActs() {
    const moved = (by, isFine) => this.move(this.piece.at.map((value, axis) => value + stepOf(isFine) * by[axis]), this.piece.turn);
    const turned = (way, isFine) => this.move(this.piece.at, this.piece.turn + way * (isFine ? 1 : TURN));
    const ofPiece = (act) => (isFine) => (this.piece ? act(isFine) : false);
    const acts = {
      up: ofPiece((isFine) => moved([0, 0, 1], isFine)),
      down: ofPiece((isFine) => moved([0, 0, -1], isFine)),
      anticlockwise: ofPiece((isFine) => turned(1, isFine)),
      clockwise: ofPiece((isFine) => turned(-1, isFine)),
    };
    for (const [name, [axis, way]] of Object.entries(WAYS)) {
      acts[name] = (isFine) => {
        const { page } = this;
        const axes = page ? axesOf(page.viewer) : { up: [0, 1], right: [1, 0] };
        if (this.piece) moved([...axes[axis].map((value) => way * value), 0], isFine);
        else page?.acts[name]();
      };
    }
    return acts;
  }

  // What chooses another piece to be moved, or another pair.
  #choosingActs() {
    return {
      next: () => this.#next(1),
      previous: () => this.#next(-1),
      leave: () => (this.piece ? this.pick(NONE) : byId("play-attacker").focus()),
      nextPair: () => this.#nextPair(1),
      previousPair: () => this.#nextPair(-1),
      reverse: () => this.choosePair(this.target, this.attacker),
    };
  }

  // Past the last piece the focus goes on.
  #next(by) {
    const at = this.movable.indexOf(Number(byId("play-piece").value || NaN));
    const number = this.movable[at < 0 ? (by > 0 ? 0 : this.movable.length - 1) : at + by];
    if (number === undefined) return false;
    this.pick(number);
    this.page?.say(this.pieces[number].name);
    return true;
  }

  #nextPair(by) {
    const others = this.models.filter((number) => number !== this.attacker);
    this.choosePair(this.attacker, others[(Math.max(others.indexOf(this.target), by > 0 ? -1 : 0) + by + others.length) % others.length]);
  }

  choosePair(attacker, target) {
    byId("play-attacker").value = attacker;
    byId("play-target").value = target;
    this.#chosen();
  }

  // The piece that is chosen to be moved; none where none is.
  get piece() {
    return this.pieces[byId("play-piece").value];
  }

  pick(number) {
    byId("play-piece").value = number !== NONE && this.movable.includes(Number(number)) ? number : NONE;
    for (const name of [...Object.keys(WAYS), "up", "down", "anticlockwise", "clockwise"]) byId(`play-${name}`).disabled = !this.piece;
  }

  move(at, turn) {
    const piece = this.piece;
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

  // Where pieces stand, [number, at, turn] each; who looks at whom, and what is moved, if not who looks: -1 for any.
  stood(places, [attacker, target, moves]) {
    for (const [number, at, turn] of places) {
      this.pieces[number].place(at, turn);
      this.#stands(number);
    }
    const looks = [attacker, this.attacker].find((number) => this.models.includes(number));
    byId("play-attacker").value = looks;
    byId("play-target").value = [target, this.target, ...this.models].find((number) => this.models.includes(number) && number !== looks);
    this.pick(moves === undefined ? looks : moves);
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

  // The chosen pair first, then whether the attacker sees all others; for programs also all that they are told of.
  #ask() {
    const name = (number) => this.pieces[number].name;
    const pairsWith = (numbers) => numbers.filter((number) => number !== this.attacker).map((number) => [name(this.attacker), name(number)]);
    const places = this.pieces.map((piece) => [piece.at, piece.turn]);
    this.results?.clear();
    const pairs = [...pairsWith([this.target]), ...(this.results ? this.#pairs() : [])];
    this.asking.ask({ places, pairs, brief: this.results ? [] : pairsWith(this.models.filter((number) => number !== this.target)) });
  }

  // The pairs of the chosen model: as attacker, then as target.
  #pairs() {
    const chosen = this.models.map((number) => this.pieces[number]).find((piece) => piece === this.piece);
    const others = chosen ? this.models.map((number) => this.pieces[number].name).filter((name) => name !== chosen.name) : [];
    return [...others.map((name) => [chosen.name, name]), ...others.map((name) => [name, chosen.name])];
  }

  // What other programs may ask of the page, as of the live table: `window.silhouette`.
  get shared() {
    return {
      state: () => this.#state(),
      move: async (name, [x, y], facing) => {
        const piece = this.#called(name);
        const [look] = piece.looks;
        piece.place([x, y, piece.at[2]], facing === undefined || !look ? piece.turn : facing - look.facing);
        this.#stands(this.pieces.indexOf(piece));
        this.#chosen();
      },
      select: async (name) => {
        const number = name === null ? NONE : this.pieces.indexOf(this.#called(name));
        this.pick(number);
        if (!this.models.includes(number)) this.#ask();
        else this.choosePair(number, number === this.target ? this.attacker : this.target);
      },
    };
  }

  #called(name) {
    const piece = this.pieces.find((each) => each.name === name);
    if (!piece) throw new Error(`there is no piece called ${name}`);
    return piece;
  }

  #state() {
    const isFirst = !this.results;
    this.results ??= new Map();
    if (isFirst) this.#ask();
    const rounded = (value) => Math.round(value * 100) / 100;
    const pieces = this.pieces.map(({ name, kind, at, turn, looks: [look] }) => ({
      name,
      kind,
      at: at.map(rounded),
      facing: look && look.facing !== null ? (((look.facing + turn) % 360) + 360) % 360 : null,
    }));
    const pairs = this.#pairs();
    const known = pairs.filter((pair) => this.results.has(String(pair)));
    const results = known.map((pair) => {
      const answer = this.results.get(String(pair));
      const row = rowOf(pair, answer);
      return answer.word === ASK ? { ...row, verdict: null, ask: this.#sentence(pair, answer) } : row;
    });
    return { pieces, selected: this.piece?.name ?? null, results, settled: !this.isBusy && known.length === pairs.length };
  }

  #answered([attacker, target], result) {
    this.results?.set(String([attacker, target]), result);
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
      verdict: answer ? this.#word(answer) : "…",
      eyeLabel: filled(this.words.eyeLabel, attacker),
      eyeTold: filled(this.words.eyeTold, attacker),
      attacker: this.attacker,
      target: this.target,
      blockers: (answer?.blockers || []).map(({ name }) => this.pieces.findIndex((piece) => piece.name === name)),
      eye,
      measured: true,
      free: this.#level(answer) !== "blocked",
      lines: [...lines, ...this.models.flatMap((number) => this.#ring(number, size))],
      ...(arcs ? { arcs, apex: attacker.carried(look.arcs[0]?.apex || look.eye.slice(0, 2)) } : {}),
    });
    this.page.labelled();
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

  // Who obscures how much, where that is known; in tenths of a per cent the largest takes what rounding leaves.
  #by(answer) {
    const [first, ...others] = blockersOf(answer);
    if (!first) return "";
    if (first.share === null) return [first, ...others].map(({ name }) => name).join(", ");
    const tenths = others.reduce((rest, each) => rest - Math.round(1000 * each.share), Math.round(1000 * answer.share));
    const rounded = others.length ? tenths / 1000 : first.share;
    return [{ ...first, share: rounded }, ...others].map(({ name, share: part }) => `${name} ${this.#share(part)}`).join(", ");
  }

  #answer(answer) {
    const told = this.#sentence([this.attacker, this.target].map((number) => this.pieces[number].name), answer);
    if (byId("play-answer").textContent !== told) byId("play-answer").textContent = told;
    byId("play-answer").dataset.word = answer.word;
  }

  #sentence([attacker, target], answer) {
    const values = {
      who: `${attacker} → ${target}`,
      verdict: this.#word(answer),
      could: answer.could.map((word) => this.words[word]).join(", "),
      why: this.words[`why ${answer.why}`] || "",
      share: answer.share === undefined ? "" : this.#share(answer.share),
      bound: answer.bound === undefined ? "" : this.#share(Math.max(answer.bound, 0)),
      by: this.#by(answer),
    };
    const isAsked = answer.word === ASK;
    const parts = [filled(isAsked ? this.words.asked : answer.could.length > 1 ? this.words.close : this.words.ruled, values)];
    if (!isAsked && answer.inArc === 0) parts.push(this.words.blind);
    else if (!isAsked) parts.push(filled(this.words[!answer.blockers.length ? "share" : answer.bound < EXACT ? "by" : "doubtful"], values));
    const { estimated } = this.#called(attacker);
    if (!isAsked && estimated) parts.push(this.words[estimated]);
    return parts.join(" ");
  }

  #others() {
    const attacker = this.pieces[this.attacker].name;
    const rows = this.models.filter((number) => number !== this.attacker).map((number) => {
      const row = document.createElement("li");
      const answer = this.answers.get(this.pieces[number].name);
      const sign = SIGNS[this.#level(answer)];
      const { name } = this.pieces[number];
      const word = !answer ? "…" : answer.word === ASK ? this.#word(answer) : inAWord(rowOf([attacker, name], answer), this.words);
      row.textContent = filled(this.words.other, { label: name, text: `${sign ? `${sign} ` : ""}${word}` });
      return row;
    });
    byId("play-others").replaceChildren(...rows);
    const verdicts = [...this.answers.values()].map(({ word, verdict }) => (word === TOO_CLOSE ? verdict : word));
    const models = this.models.map((number) => this.pieces[number]);
    const gangs = gangsOf(models).length > 1 ? gangEntries(models, this.words.gang) : [];
    listed(byId("play-legend"), [...levelEntries(verdicts, this.told.play.levels, this.words), ...gangs]);
  }

  // What judges the same table at the desk: the command, and above it lines of the scene file for pieces that were raised
  // or lowered, since --at keeps heights.
  #command() {
    const { unit, scene } = this.told.play;
    const short = (value) => String(Math.round(value * 1e4) / 1e4);
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    const isOff = ({ at, pose }, axis) => Math.abs(at[axis] - pose[4 * axis + 3]) > STILL;
    const facingOf = ({ looks, turn }) => (looks[0] && looks[0].facing !== null ? short(looks[0].facing + turn) : null);
    const inUnits = ({ at }) => at.map((value) => short(value / unit));
    const [tried, raised] = [[], []];
    for (const piece of this.pieces) {
      if (isOff(piece, 2)) raised.push(piece);
      else if (piece.turn || isOff(piece, 0) || isOff(piece, 1)) tried.push(piece);
    }
    const entries = raised.map((piece) => {
      const facing = facingOf(piece);
      return `# ${piece.name}\nat = [${inUnits(piece).join(", ")}]\n${facing === null ? "" : `facing = ${facing}\n`}`;
    });
    const options = tried.map((piece) => ` --at ${quoted(`${piece.name}=${[...inUnits(piece).slice(0, 2), facingOf(piece) ?? []].join(",")}`)}`);
    const [from, to] = [this.pieces[this.attacker].name, this.pieces[this.target].name];
    const command = `silhouette check ${quoted(scene)}${options.join("")} --from ${quoted(from)} --to ${quoted(to)}`;
    return { text: [...entries, `${entries.length ? "# " : ""}${command}`].join(""), hasEntries: entries.length > 0 };
  }

  #copy() {
    const { text, hasEntries } = this.#command();
    byId("play-command").textContent = text;
    byId("play-heights").hidden = !hasEntries;
    byId("play-command").hidden = false;
    const selected = () => window.getSelection().selectAllChildren(byId("play-command"));
    if (navigator.clipboard?.writeText) navigator.clipboard.writeText(text).catch(selected);
    else selected();
  }
}
