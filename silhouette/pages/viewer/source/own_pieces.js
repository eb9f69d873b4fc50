// A mesh of the visitor's becomes a piece, by what he says of it: its units, which way is up, its base and its eye. The
// rules are those of silhouette/models, for keys that a scene file gives; a plain base and the eye are found as there.
import { baseHeightOf } from "./own_base.js";
import { eyesOf, isSure } from "./own_eye.js";
import { trianglesOf } from "./own_grid.js";
import { Refused } from "./own_meshes.js";
import { hullOf } from "./outlines.js";

export const MM_PER_UNIT = { mm: 1, cm: 10, m: 1000, inch: 25.4 };
const FRONT = { y: 270, z: 90 }; // degrees, of a mesh file by the axis that is up in it
const IN_CUT = 1e-6; // mm: what lies no farther than this from the cut lies in it
const HALF_ARC = 45; // degrees
const LONGEST = 1e5; // mm

// The body and the base of a mesh in the model's frame: {points, corners, ghosts, low, high, centre, base, span, core,
// radius}; of ``mesh`` as own_meshes.js reads it, and {kind, units, up, height, diameter}, the last two null without a base.
export function modelOf(mesh, { kind, units, up, height = null, diameter = null }) {
  let points = uprightOf(mesh, { units, up });
  let { corners } = mesh;
  let [low, high] = bounds(points, corners);
  if (!(Math.max(...high.map((value, axis) => value - low[axis])) < LONGEST)) throw new Refused("sizeLarge");
  let ghosts = 0;
  let base = null;
  if (kind !== "terrain" && height !== null) {
    if (!(height < high[2] - low[2])) throw new Refused("baseHigh", { height, whole: (high[2] - low[2]).toFixed(1) });
    const cut = cutAt(points, corners, low[2] + height);
    points = cut.points;
    corners = Uint32Array.from([...cut.above, ...cut.below]);
    ghosts = cut.below.length / 3;
    if (!ghosts) throw new Refused("baseEmpty");
    base = bounds(points, cut.below);
  }
  const body = bounds(points, corners.subarray(0, corners.length - 3 * ghosts));
  const [first, last] = base || [low, high];
  const centre = [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2];
  for (let at = 0; at < points.length; at += 3) {
    points[at] -= centre[0];
    points[at + 1] -= centre[1];
    points[at + 2] -= low[2];
  }
  const shifted = ([some, others]) => [some, others].map((each) => [each[0] - centre[0], each[1] - centre[1], each[2] - low[2]]);
  const core = base && diameter !== null ? [[0, 0]] : outline(points, base ? corners.subarray(corners.length - 3 * ghosts) : corners);
  const span = shifted(base || [low, high]).map((point) => point[2]);
  return { points, corners, ghosts, body: shifted(body), box: shifted([low, high]), span, core, radius: base && diameter !== null ? diameter / 2 : 0 };
}

// The points of a mesh in mm, z up.
function uprightOf(mesh, { units, up }) {
  const factor = MM_PER_UNIT[units];
  const points = mesh.points.slice();
  for (let at = 0; at < points.length; at += 3) {
    const [x, y, z] = points.subarray(at, at + 3);
    const upright = up === "y" ? [x, -z, y] : [x, y, z];
    for (let axis = 0; axis < 3; axis += 1) points[at + axis] = upright[axis] * factor;
  }
  return points;
}

// The height of the base of a mesh, mm, in the digits of a scene file; null where it is not plain.
export function foundBase(mesh, own) {
  const points = uprightOf(mesh, own);
  const [low] = bounds(points, mesh.corners);
  const height = baseHeightOf(trianglesOf(points, mesh.corners, [0, 0, -low[2]]));
  return height === null ? null : Math.round(height * 1e6) / 1e6;
}

// Where the eye of a model may be, as `eyesOf` has it, by its body.
export function foundEyes(model, { up }, heads) {
  const counting = model.corners.subarray(0, model.corners.length - 3 * model.ghosts);
  return eyesOf(trianglesOf(model.points, counting), FRONT[up], heads);
}

function bounds(points, corners) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const corner of corners) {
    for (let axis = 0; axis < 3; axis += 1) {
      const value = points[3 * corner + axis];
      if (value < low[axis]) low[axis] = value;
      if (value > high[axis]) high[axis] = value;
    }
  }
  return [low, high];
}

// Every triangle that crosses a height is cut there; what lies in the cut is below. See silhouette/meshes/cutting.py.
export function cutAt(points, corners, height) {
  const over = Float64Array.from({ length: points.length / 3 }, (_, vertex) => {
    const value = points[3 * vertex + 2] - height;
    return Math.abs(value) <= IN_CUT ? 0 : value;
  });
  const more = [];
  const known = new Map();
  const between = (a, b) => {
    const [start, end] = a < b ? [a, b] : [b, a];
    const key = start * over.length + end;
    if (!known.has(key)) {
      const share = over[start] / (over[start] - over[end]);
      known.set(key, over.length + more.length / 3);
      for (let axis = 0; axis < 2; axis += 1) more.push(points[3 * start + axis] + share * (points[3 * end + axis] - points[3 * start + axis]));
      more.push(height);
    }
    return known.get(key);
  };
  const [above, below] = [[], []];
  const put = (list, ...face) => {
    if (new Set(face).size === 3) list.push(...face);
  };
  for (let at = 0; at < corners.length; at += 3) {
    const face = [...corners.subarray(at, at + 3)];
    const heights = face.map((corner) => over[corner]);
    if (Math.max(...heights) <= 0) below.push(...face);
    else if (Math.min(...heights) >= 0) above.push(...face);
    else {
      const isUp = heights.filter((value) => value > 0).length === 1;
      const alone = heights.findIndex((value) => (isUp ? value > 0 : value < 0));
      const [tip, second, third] = [0, 1, 2].map((step) => face[(alone + step) % 3]);
      const toSecond = over[second] === 0 ? second : between(tip, second);
      const toThird = over[third] === 0 ? third : between(tip, third);
      put(isUp ? above : below, tip, toSecond, toThird);
      put(isUp ? below : above, toSecond, second, third);
      put(isUp ? below : above, toSecond, third, toThird);
    }
  }
  const all = new Float64Array(points.length + more.length);
  all.set(points);
  all.set(more, points.length);
  return { points: all, above: Uint32Array.from(above), below: Uint32Array.from(below) };
}

// The convex outline in plan, anticlockwise.
function outline(points, corners) {
  return hullOf(Array.from(new Set(corners), (vertex) => [points[3 * vertex], points[3 * vertex + 1]]));
}

const turnOf = (degrees) => {
  const right = ((degrees % 360) + 360) % 360;
  if (right % 90 === 0) return [[1, 0], [0, 1], [-1, 0], [0, -1]][right / 90];
  return [Math.cos((right * Math.PI) / 180), Math.sin((right * Math.PI) / 180)];
};

// What the page needs of a piece, as `Stage.document` and the rules have it: {stage, play}. ``own``: {name, kind, gang,
// up, at: [x, y, z], facing, eye: [x, y, z] in the model's frame or null, eyes: where it may be, of `foundEyes`, if it is not
// given, isBaseClear}. Terrain is turned by its facing.
export function entriesOf(model, own, shape) {
  const isTerrain = own.kind === "terrain";
  const [cosine, sine] = turnOf(isTerrain ? own.facing : own.facing - FRONT[own.up]);
  const placed = ([x, y, z = 0]) => [cosine * x - sine * y + own.at[0], sine * x + cosine * y + own.at[1], z + own.at[2]];
  const centre = model.radius || model.ghosts ? [0, 0] : [0, 1].map((axis) => (model.body[0][axis] + model.body[1][axis]) / 2);
  const places = own.eye ? [own.eye] : (own.eyes || []).map(({ eye }) => eye);
  const [eye, ...others] = places.map(placed);
  const look = eye && {
    eye,
    facing: own.facing,
    arcs: [{ apex: placed(centre).slice(0, 2), right: turnOf(own.facing - HALF_ARC), left: turnOf(own.facing + HALF_ARC) }],
  };
  return {
    stage: { name: own.name, kind: own.kind, shape, pose: [cosine, -sine, 0, own.at[0], sine, cosine, 0, own.at[1], 0, 0, 1, own.at[2]] },
    play: {
      gang: isTerrain ? null : own.gang,
      asks: isTerrain || own.isBaseClear ? null : "base",
      looks: isTerrain ? [] : [look || { eye: placed([0, 0, model.box[1][2]]), facing: own.facing, arcs: [] }],
      unsure: isTerrain || look ? null : "eye",
      elsewhere: others.map((place) => place.map((value, axis) => value - eye[axis])),
      estimated: own.eye || !look ? null : isSure(own.eyes) ? "estimated eye" : "doubtful eye",
      base: { core: model.core.map((point) => placed(point).slice(0, 2)), radius: model.radius, span: model.span.map((z) => z + own.at[2]) },
      stands: false,
      own: true,
    },
  };
}

// ---- shapes, packed as silhouette/drawing/in_3d/stage.py packs them, and packing.js unpacks them

const PLACES = 3; // bytes of a coordinate
const MOST = 256 ** PLACES - 1;

// The entries of shapes, and the bytes of all.
export function packed(models) {
  const chunks = [];
  let at = 0;
  const shapes = models.map((model) => {
    const { bytes, ...entry } = packedShape(model, at);
    chunks.push(bytes);
    at += bytes.length;
    return entry;
  });
  const bytes = new Uint8Array(at);
  for (const [index, chunk] of chunks.entries()) bytes.set(chunk, shapes[index].at);
  return { shapes, bytes };
}

function packedShape({ points, corners, ghosts }, at) {
  const rank = new Map();
  const order = [];
  const steps = new Uint32Array(corners.length);
  for (const [index, corner] of corners.entries()) {
    const next = order.length;
    if (!rank.has(corner)) {
      rank.set(corner, next);
      order.push(corner);
    }
    steps[index] = next - rank.get(corner);
  }
  const [low, high] = bounds(points, corners);
  const width = order.length < 256 ** 2 ? 2 : 4;
  const bytes = new Uint8Array(order.length * 3 * PLACES + corners.length * width);
  let place = 0;
  const put = (values, wide) => {
    for (let byte = 0; byte < wide; byte += 1) {
      for (let index = 0; index < values.length; index += 1) bytes[place + index] = values[index] >>> (8 * byte);
      place += values.length;
    }
  };
  for (let axis = 0; axis < 3; axis += 1) {
    let before = 0;
    const size = high[axis] > low[axis] ? high[axis] - low[axis] : 1;
    const own = Uint32Array.from(order, (vertex) => {
      const value = Math.round(((points[3 * vertex + axis] - low[axis]) / size) * MOST);
      const step = (value - before) & MOST;
      before = value;
      return step;
    });
    put(own, PLACES);
  }
  put(steps, width);
  const counting = bounds(points, corners.subarray(0, corners.length - 3 * ghosts));
  const hull = Array.from({ length: 8 }, (_, corner) => [0, 1, 2].map((axis) => counting[(corner >> axis) & 1][axis]));
  const moved = Math.hypot(...high.map((value, axis) => value - low[axis])) / MOST;
  return { bytes, at, vertices: order.length, faces: corners.length / 3, ghosts, flat: false, width, low, high, places: PLACES, moved, hull };
}
