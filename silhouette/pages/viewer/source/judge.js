// The judge of a page: the table with its pieces, in a worker, so that the page goes on while it counts.
import { shapeOf, Table } from "./judge_necromunda.js";
import { judgedMesh, unpacked } from "./packing.js";

export { Faces } from "./judge_faces.js";
export { Table } from "./judge_necromunda.js";
export { Doubt, occlusionOf } from "./judge_occlusion.js";
export { judgedMesh, unpacked } from "./packing.js";

// Shapes as `packed` of stage.py wrote them, or as bytes, each with its name: its digest, or its number where it has none.
async function shapesOf({ packed, bytes, shapes }) {
  const unpackedBytes = bytes || (await unpacked(packed));
  return shapes.map((shape, number) => [shape.id ?? number, shapeOf(judgedMesh(unpackedBytes, shape))]);
}

// ``pieces``: as of the stage; ``play``: what the rules say of them.
function laid({ pieces, play }, shapes) {
  return new Table({ ...play, pieces: pieces.map((piece, number) => ({ ...piece, ...play.pieces[number] })) }, shapes);
}

// The table of a page: what `Stage.document` wrote, with what the rules say of it.
export async function tableOf(page) {
  return laid(page, new Map(await shapesOf(page)));
}

// The messages of a worker, one after another: {packed, bytes, shapes}, which come to those that it has; {pieces, play}, how the
// table now stands; {number, places: [[at, turn], ...], pairs: [[attacker, target], ...], brief}, of which each pair is
// answered by {number, pair, result}, those that are ``brief`` briefly. After each message the answer is {done}.
function serve(worker) {
  const shapes = new Map();
  let table = null;
  let before = Promise.resolve();
  const answer = async (message) => {
    if (message.shapes) for (const [name, shape] of await shapesOf(message)) shapes.set(name, shape);
    if (message.play) table = laid(message, shapes);
    for (const [index, place] of (message.places || []).entries()) table.pieces[index].place(...place);
    for (const isBrief of [false, true]) {
      for (const pair of (isBrief ? message.brief : message.pairs) || []) worker.postMessage({ number: message.number, pair, result: table.judge(...pair, isBrief) });
    }
    worker.postMessage({ done: true });
  };
  worker.onmessage = ({ data }) => (before = before.then(() => answer(data)));
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) serve(self);
