// The first answer while a hand moves: the word of the judge in the page on the chosen pair. What is settled is the desk's
// alone, and takes its place: see silhouette/live/playing.py.
import { rounded } from "./hand.js";

const { ASK, Asking, rowOf } = window.silhouetteViewer;

export class FirstAnswers {
  constructor(table) {
    this.table = table;
    this.stood = null; // how the table stood when the judge was told: {pose, pieces}; null where it is to be told anew
    this.known = new Set(); // the names of shapes that the judge has
    this.answer = null; // {pair, moves, row}: what it says of the chosen pair after so many moves; row null for nothing
    this.isTelling = false;
    for (const change of ["results", "selected", "pieces"]) table.heard(change, () => this.#prepared());
    table.heard("moved", () => this.#moved());
    table.heard("changed", () => this.#forget());
    table.heard("opened", () => this.#forget());
    table.heard("lost", () => this.#forget());
  }

  // As a result of a pair, where nothing as new is known of the desk; else null.
  row(pair) {
    const { table, answer } = this;
    if (!answer?.row || String(pair) !== String(answer.pair)) return null;
    const isNewer = answer.moves > table.posed ? table.isMoving : answer.moves === table.posed && !table.results.row(pair);
    return isNewer ? answer.row : null;
  }

  #forget() {
    this.#stands(null);
  }

  #stands(stood) {
    this.stood = stood;
    this.answer = null;
    document.documentElement.dataset.judge = stood ? "ready" : "away"; // programs that look at the page may wait for it
  }

  // Once all rests the judge is told how the table stands, and its shapes come, each once; not before a model is chosen.
  async #prepared() {
    const { table } = this;
    const isDue = table.settled && table.chosen && !table.looks && this.stood?.pose !== table.pose && this.refused !== table.opening;
    if (!isDue || this.isTelling) return;
    this.isTelling = true;
    const { pose, pieces, opening } = table;
    try {
      const { pose: of, play } = await table.connection.ask({ do: "play" });
      if (!play) this.refused = opening;
      else if (of === pose && (await this.#shaped(pieces)) && opening === table.opening) {
        this.asking.tell({ pieces, play });
        this.#stands({ pose, pieces });
      }
    } catch (error) {
      if (!error.lost) this.refused = opening;
    } finally {
      this.isTelling = false;
    }
  }

  // Whether the judge has all shapes of some pieces.
  async #shaped(pieces) {
    this.asking ??= new Asking("/judge.min.js", (pair, result, question) => this.#answered(pair, result, question));
    const isMissing = () => pieces.some(({ shape }) => !this.known.has(shape));
    while (isMissing()) {
      const message = await this.table.connection.ask({ do: "shapes", whole: true, known: [...this.known], most: 1 });
      if (!message.shapes.length) break;
      this.asking.tell(message);
      for (const { id } of message.shapes) this.known.add(id);
    }
    return !isMissing();
  }

  // Where each piece is, as the desk will be told: [x, y, z], and by how much it was turned since the judge was told.
  #places() {
    const { table, stood } = this;
    return stood.pieces.map(({ name, facing: before }) => {
      const { pose, facing } = table.piece(name);
      const hand = table.hands.get(name);
      const at = hand?.at ? hand.at.map(rounded) : [pose[3], pose[7]];
      const now = hand?.facing ?? facing;
      return [[...at, pose[11]], before === null || now === null ? 0 : now - before];
    });
  }

  #moved() {
    const { table, stood } = this;
    const { chosen, moves } = table;
    if (!stood || !chosen || !table.hands.size) return;
    const isOther = stood.pieces.length !== table.pieces.length || stood.pieces.some(({ name }) => !table.piece(name));
    if (isOther || [...table.hands.keys()].some((name) => table.piece(name)?.kind === "terrain")) return;
    this.asking.ask({ places: this.#places(), brief: [chosen], moves, stood });
  }

  #answered(pair, result, { moves, stood }) {
    if (stood !== this.stood) return;
    this.answer = { pair, moves, row: result.word === ASK ? null : { ...rowOf(pair, result), isFirst: true } };
    this.table.tell("first");
  }
}
