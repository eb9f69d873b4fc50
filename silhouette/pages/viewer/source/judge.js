// The judge of a page: the table with its pieces, in a worker, so that the page goes on while it counts.
import { Table } from "./judge_necromunda.js";
import { judgedMesh, unpacked } from "./packing.js";

export { Faces } from "./judge_faces.js";
export { Table } from "./judge_necromunda.js";
export { Doubt, occlusionOf } from "./judge_occlusion.js";
export { judgedMesh, unpacked } from "./packing.js";

// The table of a page: what `Stage.document` wrote, with what the rules say of it.
export async function tableOf(page) {
  const bytes = page.bytes || (await unpacked(page.packed));
  const pieces = page.pieces.map((piece, number) => ({ ...piece, ...page.play.pieces[number] }));
  return new Table({ ...page.play, pieces }, page.shapes.map((shape) => judgedMesh(bytes, shape)));
}

// A worker's messages: first {page}, then {number, places: [[at, turn], ...], pairs: [[attacker, target], ...]}, of which
// each pair is answered by {number, pair, result}, and the last by {number, done} besides.
function working(worker) {
  let table = null;
  worker.onmessage = async ({ data }) => {
    if (data.page) {
      table = await tableOf(data.page);
      worker.postMessage({ ready: true });
      return;
    }
    for (const [index, [at, turn]] of data.places.entries()) table.pieces[index].place(at, turn);
    for (const pair of data.pairs) worker.postMessage({ number: data.number, pair, result: table.judge(...pair) });
    worker.postMessage({ number: data.number, done: true });
  };
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) working(self);
