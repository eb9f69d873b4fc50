// What bodies obscure of a target, seen from an eye: which of their faces are before it, and what these cover of it.
import { clipped, NEAR, PlacedFaces, seen } from "./judge_faces.js";
import { areasOf, BLOCKER, INSIDE, Lines, NEARER, Outline, PERHAPS, TARGET } from "./judge_sweep.js";

const TOUCHING = 5e-5; // mm: a surface that is nearer than another by less hides nothing of it
const STEEPEST = Math.tan((75 * Math.PI) / 180); // a target that reaches further off the middle is none for one picture
const TURNS = 16; // directions of planes round the upright

// The directions in which planes are tried that part two bodies: level, and sloping up and down, all round.
const WAYS = [[0, 0, 1], [0, 0, -1]];
for (let turn = 0; turn < TURNS; turn += 1) {
  const [x, y] = [Math.cos((2 * Math.PI * turn) / TURNS), Math.sin((2 * Math.PI * turn) / TURNS)];
  for (const up of [0, 1, -1]) WAYS.push([x / Math.hypot(1, up), y / Math.hypot(1, up), up / Math.hypot(1, up)]);
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const isApart = (a, b) => a.right < b.left || b.right < a.left || a.high < b.low || b.high < a.low;
const unit = (a) => a.map((value) => value / Math.hypot(...a));

// Why a picture does not tell: the desk is asked.
export class Doubt extends Error {}

// Straight at a point, upright.
export function viewAt(eye, aim, facing) {
  const way = aim.map((value, axis) => value - eye[axis]);
  const forward = unit(way);
  const steep = Math.hypot(forward[0], forward[1]) < 1e-9;
  const angle = (facing * Math.PI) / 180;
  const right = unit(cross(forward, steep ? [Math.cos(angle), Math.sin(angle), 0] : [0, 0, 1]));
  return { eye, axes: [...right, ...cross(right, forward), ...forward] };
}

// A window with a little room round it, so that what only touches the target's picture reaches into it.
function grown({ left, right, low, high }) {
  const room = 1e-4 * Math.max(right - left, high - low);
  return { left: left - room, right: right + room, low: low - room, high: high + room };
}

// Whether a blocker that obscures nothing comes so near to the rim of the target's silhouette that it may.
function isTouched(outlines, parts) {
  const [bands, near] = [new Lines(outlines.window), new Lines(outlines.window)];
  const reach = 2 * outlines.reach.subarray(0, outlines.count).reduce((most, each) => Math.max(most, each), 0);
  for (let line = 0; line < outlines.count; line += 1) {
    if (outlines.delta[line]) {
      near.take(outlines, line);
      continue;
    }
    const [x, y, end, top] = ["x", "y", "end", "top"].map((name) => outlines[name][line]);
    const length = Math.hypot(end - x, top - y) || 1;
    const [along, up] = [(reach * (end - x)) / length, (reach * (top - y)) / length];
    const [left, right] = [[x - along, y - up], [end + along, top + up]];
    const band = [[left[0] - up, left[1] + along], [left[0] + up, left[1] - along], [right[0] + up, right[1] - along], [right[0] - up, right[1] + along]];
    const points = band.flatMap((corner) => [...corner, 1]);
    for (let corner = 0; corner < 12; corner += 3) bands.add(points, corner, (corner + 3) % 12, 1, 0);
  }
  new Outline(bands, near, 0).run();
  const { obscured, perhaps } = areasOf(near, parts);
  return obscured + perhaps > 0;
}

// The bounds of points, x, y, z each, in the picture.
function windowOf(points) {
  const window = { left: Infinity, right: -Infinity, low: Infinity, high: -Infinity };
  for (let at = 0; at < points.length; at += 3) {
    const [x, y] = [points[at] / points[at + 2], points[at + 1] / points[at + 2]];
    window.left = Math.min(window.left, x);
    window.right = Math.max(window.right, x);
    window.low = Math.min(window.low, y);
    window.high = Math.max(window.high, y);
  }
  return window;
}

// Planes that touch a target, and have all of it on one side; those before which the eye lies, and those behind.
class Planes {
  constructor(hull, ways) {
    this.hull = hull;
    this.before = [];
    this.behind = [];
    for (const way of ways) {
      let reach = -Infinity;
      for (let at = 0; at < hull.length; at += 3) reach = Math.max(reach, way[0] * hull[at] + way[1] * hull[at + 1] + way[2] * hull[at + 2]);
      (reach < 0 ? this.before : this.behind).push([...way, reach]);
    }
  }

  // 1 where all of some points are before the target, -1 where all are behind it, else 0.
  order(points) {
    if (this.behind.some((plane) => least(points, plane) >= plane[3] - TOUCHING)) return -1;
    return this.before.some((plane) => least(points, plane) >= plane[3] + TOUCHING) ? 1 : 0;
  }

  // The same of a face that none of the planes parts, by its own plane.
  orderByOwn(p) {
    const way = cross([p[3] - p[0], p[4] - p[1], p[5] - p[2]], [p[6] - p[0], p[7] - p[1], p[8] - p[2]]);
    const reach = dot(way, p);
    const length = (reach > 0 ? -1 : 1) * Math.hypot(way[0], way[1], way[2]); // to the side of the eye
    const [x, y, z] = [way[0] / length, way[1] / length, way[2] / length];
    const distance = Math.abs(reach / length);
    if (!(distance >= 1e-9)) return -1;
    let [low, high] = [Infinity, -Infinity];
    for (let at = 0; at < this.hull.length; at += 3) {
      const away = x * this.hull[at] + y * this.hull[at + 1] + z * this.hull[at + 2] + distance;
      [low, high] = [Math.min(low, away), Math.max(high, away)];
    }
    if (low >= -TOUCHING) return -1;
    return high <= -TOUCHING ? 1 : 0;
  }
}

function least(points, plane) {
  let found = Infinity;
  for (let at = 0; at < points.length; at += 3) {
    found = Math.min(found, plane[0] * points[at] + plane[1] * points[at + 1] + plane[2] * points[at + 2]);
  }
  return found;
}

// The faces of a body that are before the target, and those of which neither planes nor they themselves tell.
function parted(faces, planes) {
  const { points, mesh } = faces;
  const count = points.length / 3;
  const used = new Uint8Array(count);
  for (let face = 0; face < faces.sides.length; face += 1) {
    if (faces.sides[face]) for (let corner = 3 * face; corner < 3 * face + 3; corner += 1) used[mesh.corners[corner]] = 1;
  }
  const bits = [planes.before, planes.behind].map((some, isBehind) => {
    const found = new Uint32Array(2 * count);
    for (let vertex = 0, at = 0; vertex < count; vertex += 1, at += 3) {
      if (!used[vertex]) continue;
      const x = points[at];
      const y = points[at + 1];
      const z = points[at + 2];
      for (let number = 0; number < some.length; number += 1) {
        const plane = some[number];
        const away = plane[0] * x + plane[1] * y + plane[2] * z - plane[3];
        if (away >= (isBehind ? -TOUCHING : TOUCHING)) found[2 * vertex + (number >> 5)] |= 1 << (number & 31);
      }
    }
    return found;
  });
  const common = (some, face) => {
    const a = 2 * mesh.corners[3 * face];
    const b = 2 * mesh.corners[3 * face + 1];
    const c = 2 * mesh.corners[3 * face + 2];
    return (some[a] & some[b] & some[c]) | (some[a + 1] & some[b + 1] & some[c + 1]);
  };
  const [before, mixed] = [faces.sides.slice(), new Int8Array(faces.sides.length)];
  let isMixed = false;
  for (let face = 0; face < before.length; face += 1) {
    if (!before[face]) continue;
    const isBehind = common(bits[1], face);
    if (!isBehind && common(bits[0], face)) continue;
    const order = isBehind ? -1 : planes.orderByOwn(faces.polygon(face));
    if (order > 0) continue;
    if (order === 0) {
      mixed[face] = before[face];
      isMixed = true;
    }
    before[face] = 0;
  }
  const parts = [[], []];
  for (const part of faces.parts) {
    const order = planes.order(part.polygon) || planes.orderByOwn(part.polygon);
    if (order >= 0) parts[order ? 0 : 1].push(part);
  }
  return { before: faces.with(before, parts[0]), mixed: isMixed || parts[1].length ? faces.with(mixed, parts[1]) : null };
}

// What is obscured of a target: {mesh, pose, aim}, by blockers: {mesh, pose}, seen from an eye. ``arcs``: null, or wedges
// in plan, {apex, right, left}, in which alone the target is seen. `Doubt` where no picture tells.
export function occlusionOf({ eye, facing, arcs, target, blockers }) {
  const view = viewAt(eye, target.aim, facing);
  const hull = seen(target.mesh.hull, target.pose, view);
  for (let at = 0; at < hull.length; at += 3) {
    if (!(hull[at + 2] > NEAR) || Math.hypot(hull[at], hull[at + 1]) > STEEPEST * hull[at + 2]) throw new Doubt("near");
  }
  const window = grown(windowOf(hull));
  const faces = new PlacedFaces(target.mesh, target.pose, view);
  const outlines = new Lines(window);
  const parts = [];
  const add = (part, ...some) => {
    const lines = new Lines(window);
    for (const each of some) each.bound(lines);
    new Outline(lines, outlines, parts.length).run();
    parts.push(part);
  };
  add(TARGET, faces);
  const ways = WAYS.map((way) => turned(way, target.pose, view));
  const planes = new Planes(hull, ways);
  const bodies = [];
  for (const [number, blocker] of blockers.entries()) {
    const outer = seen(blocker.mesh.hull, blocker.pose, view);
    const isAhead = least(outer, [0, 0, 1]) > NEAR;
    if (isAhead && isApart(windowOf(outer), window)) continue;
    const order = planes.order(outer);
    if (order < 0) continue;
    const placed = new PlacedFaces(blocker.mesh, blocker.pose, view);
    const near = isAhead && order > 0 ? placed : placed.within(window);
    const within = isAhead ? near : near.clipped([0, 0, 1], NEAR);
    if (within.parts.some((part) => isBeforeEye(part.polygon, window))) throw new Doubt("eye");
    const { before, mixed } = order > 0 ? { before: within, mixed: null } : parted(within, planes);
    for (const [some, part] of [[before, BLOCKER], [mixed, PERHAPS]]) {
      if (!some) continue;
      bodies.push([parts.length, number]);
      add(part, some);
    }
  }
  // An arc that has all of the target, or nothing of it, adds no lines.
  const edges = (arcs || []).map((arc) => edgesOf(arc, view));
  const isWithin = (plane, side) => least(hull, plane.map((value) => side * value)) >= side * plane[3];
  const isWhole = !arcs || edges.some((planes) => planes.every((plane) => isWithin(plane, 1)));
  const some = isWhole ? [] : edges.filter((planes) => !planes.some((plane) => isWithin(plane, -1)));
  for (const planes of some) inArc(faces, planes, add);
  const areas = areasOf(outlines, parts);
  if (!isWhole && !some.length) areas.within = areas.withinObscured = areas.withinPerhaps = 0;
  // Seen edge-on it has no area but what rounding leaves.
  if (areas.whole < 1e-8 * (window.right - window.left) * (window.high - window.low)) throw new Doubt("thin");
  areas.touches = areas.obscured + areas.perhaps <= 1e-9 * areas.whole && bodies.length > 0 && isTouched(outlines, parts);
  areas.shares = new Float64Array(blockers.length);
  for (const [part, number] of bodies) areas.shares[number] += areas.alone[part] / (areas.whole || 1);
  return areas;
}

// A direction of a model's frame, in picture coordinates.
function turned(way, pose, view) {
  const world = [0, 1, 2].map((row) => dot(pose.slice(4 * row, 4 * row + 3), way));
  return [0, 1, 2].map((row) => dot(view.axes.slice(3 * row, 3 * row + 3), world));
}

// Whether a polygon, cut off before the eye, is seen there in a window: what was cut away could hide something.
function isBeforeEye(polygon, { left, right, low, high }) {
  const sides = [[1, 0, -left, 0], [-1, 0, right, 0], [0, 1, -low, 0], [0, -1, high, 0], [0, 0, -1, 2 * NEAR]];
  return sides.reduce((rest, [a, b, c, d]) => clipped(rest, (x, y, z) => a * x + b * y + c * z + d), polygon).length > 0;
}

// The edges of an arc, as planes upright, in picture coordinates: what is inside has at least so much of each.
function edgesOf(arc, view) {
  return [[-arc.right[1], arc.right[0], 0], [arc.left[1], -arc.left[0], 0]].map((across) => {
    const plane = [0, 1, 2].map((row) => dot(view.axes.slice(3 * row, 3 * row + 3), across));
    return [...plane, across[0] * (arc.apex[0] - view.eye[0]) + across[1] * (arc.apex[1] - view.eye[1])];
  });
}

// Adds what of a target's faces lies in an arc, and what of them is nearer than that: see `_in_arc` of occlusion.py.
function inArc(faces, planes, add) {
  let inside = faces;
  const nearer = [];
  for (const plane of planes) {
    inside = inside.clipped(plane, plane[3]);
    if (plane[3] > 1e-9) nearer.push(faces.clipped(plane.map((value) => -value), -plane[3]));
  }
  add(INSIDE, inside);
  add(NEARER, ...nearer);
}
