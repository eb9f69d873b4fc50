// The table as the server knows it, what the hand does to it before the server has answered, and the verdicts on it.
import { FirstAnswers } from "./first.js";
import { turnedAbout } from "./lengths.js";
import { Verdicts } from "./results.js";
import { Shapes } from "./shapes.js";

const TOGETHER = 120; // ms that a new pose waits for its verdict, so that both are shown at once
const PATIENCE = 400; // ms that a moving hand waits at most for the verdict of its last place

export class Table extends EventTarget {
  constructor(connection) {
    super();
    this.connection = connection;
    this.shapes = new Shapes(connection);
    this.pieces = [];
    this.pose = -1;
    this.unit = 1; // mm of the scene's unit
    this.levels = {};
    this.colours = {};
    this.opening = 0; // how many scenes were shown
    this.queue = [];
    this.sending = null;
    this.hands = new Map(); // where pieces are held: name -> {at, facing}
    this.selected = null;
    this.chosen = null;
    this.results = new Verdicts(this);
    this.first = new FirstAnswers(this);
    this.moves = 0; // how often hands have moved something, and how often before the pose that is shown
    this.posed = 0;
    this.connected = false;
    connection.opened = (welcome) => this.#opened(welcome);
    connection.lost = (reason, seconds) => this.#lost(reason, seconds);
    connection.event = (event) => this.#event(event);
  }

  tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  heard(type, act) {
    this.addEventListener(type, (event) => act(event.detail));
  }

  piece(name) {
    return this.pieces.find((piece) => piece.name === name) || null;
  }

  get models() {
    return this.pieces.filter((piece) => piece.kind !== "terrain");
  }

  get isMoving() {
    return Boolean(this.sending || this.queue.length || this.hands.size);
  }

  get settled() {
    return this.connected && this.pose >= 0 && !this.isMoving && this.results.settled;
  }

  // What is shown of a pair: the desk's result, or the judge's first answer, which is newer, until that is there; or null.
  row(pair) {
    return this.first.row(pair) || this.results.row(pair);
  }

  async #opened({ role }) {
    this.pose = -1;
    this.looks = role === "looker"; // a second device, which changes nothing
    try {
      const state = await this.connection.ask({ do: "state" });
      this.connected = true;
      this.take(state);
      this.results.forget();
      this.select(this.selected, this.chosen);
      this.#pump();
    } catch (error) {
      this.tell("failed", { error });
    }
  }

  #lost(reason, seconds) {
    const unsure = this.sending !== null || this.queue.length > 0;
    this.connected = false;
    for (const { failed } of this.queue.splice(0)) failed(new Error("the connection was lost"));
    this.hands.clear();
    this.tell("lost", { reason, seconds, unsure });
  }

  #event(event) {
    if (event.event === "edited") {
      this.tell("changed");
      this.take(event);
    } else if (event.event === "results") this.results.heard(event);
    else this.tell(event.event, event);
  }

  // What the server says of all pieces; what is about a pose before the one that is shown is not minded.
  take(answer) {
    if (answer.pose < this.pose) return;
    this.pose = answer.pose;
    this.pieces = answer.pieces;
    const { saved, can_undo: canUndo, can_redo: canRedo, table: span, warnings, questions, scanned } = answer;
    Object.assign(this, { saved, canUndo, canRedo, span, warnings, questions, scanned });
    if (answer.verdicts) {
      const { title, rules, colours, unit } = answer;
      Object.assign(this, { title, rules, unit, levels: answer.verdicts, colours });
      this.opening += 1;
      this.tell("opened", answer);
    }
    if (this.selected && !this.piece(this.selected)) this.select(null);
    if (this.chosen && !this.chosen.every((name) => this.piece(name))) this.choose(null);
    this.results.taken();
    this.tell("pieces");
    this.tell("results");
  }

  // Sends a request that changes the table after those before it; of one drag only the newest waits.
  change(request) {
    if (this.looks) return Promise.reject(new Error("this device only looks"));
    return new Promise((done, failed) => {
      const before = this.queue.at(-1);
      const replaced = request.drag && before?.request.drag === request.drag && this.#alike(before.request, request);
      if (replaced) this.queue.pop();
      const settle = (kind) => (value) => {
        if (replaced) before[kind](value);
        (kind === "done" ? done : failed)(value);
      };
      this.queue.push({ request, moves: this.moves, done: settle("done"), failed: settle("failed") });
      this.tell("results");
      this.#pump();
    });
  }

  #alike(one, other) {
    const keys = ({ edits: [edit] }) => Object.keys(edit).sort().join();
    return one.edits.length === 1 && other.edits.length === 1 && one.edits[0].piece === other.edits[0].piece && keys(one) === keys(other);
  }

  async #pump() {
    if (this.sending || !this.queue.length || !this.connected) return;
    this.sending = this.queue.shift();
    const { request, moves, done, failed } = this.sending;
    try {
      const answer = await this.connection.ask(request);
      if (this.queue.length === 0) this.#released(request);
      this.#renamed(request);
      const moving = request.drag && this.chosen;
      if (moving) await this.results.verdict(this.chosen, answer.pose, TOGETHER);
      if (!request.drag) this.tell("changed");
      this.posed = moves;
      if (answer.pieces) this.take(answer);
      this.results.watch(this.results.asked?.selected && this.selected, this.chosen);
      done(answer);
      // While a hand moves, the chosen pair's verdict is waited for: without a pause there would never be one.
      if (moving) await this.results.verdict(this.chosen, answer.pose, PATIENCE);
    } catch (error) {
      this.#released(request);
      failed(error);
      if (!error.lost) this.tell("failed", { error });
    } finally {
      this.sending = null;
      if (!this.queue.length) for (const [name, { held }] of this.hands) if (!held) this.hands.delete(name);
      if (!this.queue.length && !this.hands.size) this.results.rested();
      this.tell("results");
      this.#pump();
    }
  }

  #renamed({ edits = [] }) {
    for (const { piece, name } of edits) {
      if (!name || !piece) continue;
      if (this.selected === piece) this.selected = name;
      if (this.chosen) this.chosen = this.chosen.map((one) => (one === piece ? name : one));
    }
  }

  #released({ edits = [] }) {
    for (const { piece } of edits) if (!this.hands.get(piece)?.held) this.hands.delete(piece);
  }

  edit(edits, drag) {
    return this.change({ do: "edit", edits, ...(drag ? { drag } : {}) });
  }

  // The hand has a piece at a place or turned to an angle; the answer corrects its height.
  hold(name, { at, facing }) {
    const before = this.hands.get(name) || {};
    this.hands.set(name, { ...before, ...(at && { at }), ...(facing !== undefined && { facing }), held: true });
    this.moves += 1;
    this.tell("moved", { name });
  }

  let(name) {
    const hand = this.hands.get(name);
    if (!hand) return;
    hand.held = false;
    if (!this.sending && !this.queue.length) {
      this.hands.delete(name);
      this.results.rested();
    }
    this.tell("moved", { name });
  }

  // A piece where it is shown: as the server has it, but for what the hand does.
  shown(piece) {
    const hand = this.hands.get(piece.name);
    if (!hand) return piece;
    const [x, y, z] = piece.at;
    const at = [...(hand.at || [x, y]), z];
    const facing = hand.facing ?? piece.facing;
    const turned = hand.facing === undefined ? 0 : facing - (piece.facing ?? piece.ahead);
    const carried = (point) => {
      const [px, py] = turnedAbout(point, [x, y], turned);
      return [px + at[0] - x, py + at[1] - y, ...point.slice(2)];
    };
    return {
      ...piece,
      at,
      facing,
      pose: carriedPose(piece.pose, carried, turned),
      ahead: piece.ahead + turned,
      eye: carried(piece.eye),
    };
  }

  select(name, chosen = undefined) {
    const piece = name && this.piece(name);
    const model = piece && piece.kind !== "terrain";
    const changed = this.selected !== (piece ? name : null);
    this.selected = piece ? name : null;
    if (chosen && chosen.includes(name)) this.chosen = chosen;
    else if (!model) this.chosen = null;
    else if (!this.chosen?.includes(name)) this.chosen = this.#someone(piece);
    this.tell("selected", { changed });
    return this.results.watch(model ? name : null, this.chosen);
  }

  choose(pair) {
    this.chosen = pair;
    this.tell("selected", { changed: false });
    const model = this.selected && this.piece(this.selected)?.kind !== "terrain";
    return this.results.watch(model ? this.selected : null, pair);
  }

  // Whom a model looks at where nobody has said it: the nearest of another gang, or the nearest of all.
  #someone(piece) {
    const others = this.models.filter((other) => other !== piece);
    const foes = others.filter((other) => !piece.gang || other.gang !== piece.gang);
    const away = ({ at }) => Math.hypot(at[0] - piece.at[0], at[1] - piece.at[1]);
    const [nearest] = (foes.length ? foes : others).sort((one, other) => away(one) - away(other));
    return nearest ? [piece.name, nearest.name] : null;
  }
}

function carriedPose(pose, carried, turned) {
  const found = [...pose];
  [found[3], found[7]] = carried([pose[3], pose[7]]);
  if (!turned) return found;
  for (let column = 0; column < 3; column += 1) {
    [found[column], found[4 + column]] = turnedAbout([pose[column], pose[4 + column]], [0, 0], turned);
  }
  return found;
}
