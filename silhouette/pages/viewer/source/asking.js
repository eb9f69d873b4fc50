// Questions to the judge, which counts in a worker: the newest alone is put to it, and no answer comes after a newer one.
import { TOO_CLOSE } from "./judge_necromunda.js";
import { blockersOf } from "./verdicts.js";

// What the judge says of a pair, as a row of the desk's results; the share is null where it is not counted.
export function rowOf([attacker, target], answer) {
  const { word, verdict, share = null, bound = null, inArc, could } = answer;
  return {
    attacker,
    target,
    verdict,
    line_of_sight: verdict !== "hidden",
    in_arc: inArc > 0,
    occluded: share,
    error: bound,
    marginal: word === TOO_CLOSE,
    could_be: could,
    blockers: blockersOf(answer).map(({ name, share: occluded }) => ({ name, occluded })),
  };
}

export class Asking {
  // ``answered`` is called with each answer of the judge: the pair, what it says, and what was put to it.
  constructor(address, answered) {
    this.answered = answered;
    this.number = 0;
    this.open = 0; // messages that are not done
    this.waiting = null; // the question that is put next
    this.question = null; // the one that was put last
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.#heard(data);
  }

  get isBusy() {
    return this.open > 0 || this.waiting !== null;
  }

  // What the judge needs: shapes, {packed, shapes}, or how the table stands, {pieces, play}. Of a table before nothing is asked.
  tell(message) {
    this.waiting = null;
    if (message.play) this.number += 1;
    this.#post(message);
  }

  // ``question``: {places, pairs, brief} and more; while the judge counts it waits, and gives way to any later one.
  ask(question) {
    this.waiting = question;
    this.#next();
  }

  #post(message) {
    this.open += 1;
    this.worker.postMessage(message);
  }

  #next() {
    if (this.open || !this.waiting) return;
    this.question = this.waiting;
    this.waiting = null;
    this.number += 1;
    const { places, pairs, brief } = this.question;
    this.#post({ number: this.number, places, pairs, brief });
  }

  #heard({ done, number, pair, result }) {
    if (done) this.open -= 1;
    else if (number === this.number) this.answered(pair, result, this.question);
    this.#next();
  }

  end() {
    this.worker.terminate();
  }
}
