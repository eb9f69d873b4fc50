// What bodies obscure of a target, seen from an eye: which of their faces are before it, and what these cover of it.
import { clipped, NEAR, PlacedFaces, seen } from "./judge_faces.js";
import { areasOf, BLOCKER, INSIDE, Lines, NEARER, Outline, PERHAPS, TARGET } from "./judge_sweep.js";
import { hullOf } from "./outlines.js";

const TOUCHING = 5e-5; // mm: a surface that is nearer than another by less hides nothing of it
const STEEPEST = Math.tan((75 * Math.PI) / 180); // a target that reaches further off the middle is none for one picture
const COVERED = 1e-12; // of what lies round a target: what a sum of areas leaves by rounding where all of it is obscured
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

// The room round a target, so that what only touches its picture reaches into it.
function roomOf({ left, right, low, high }) {
  return 1e-4 * Math.max(right - left, high - low);
}

function grown(window) {
  const { left, right, low, high } = window;
  const room = roomOf(window);
  return { left: left - room, right: right + room, low: low - room, high: high + room };
}

// By how much lines in a picture may be off, and lines that meet them.
function reachOf({ reach, count }) {
  return 2 * reach.subarray(0, count).reduce((most, each) => Math.max(most, each), 0);
}

// Whether a blocker that obscures nothing comes so near to the rim of the target's silhouette that it may.
function isTouched(outlines, parts) {
  const [bands, near] = [new Lines(outlines.window), new Lines(outlines.window)];
  const reach = reachOf(outlines);
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
// in plan, {apex, right, left}, in which alone the target is seen. ``isBrief``: whether its own faces need not be counted
// where it is certain without them that it is out of arc, obscured as a whole, or not at all; areas are then those of what
// is round it, or NaN. `Doubt` where no picture tells.
export function occlusionOf({ eye, facing, arcs, target, blockers, isBrief }) {
  const view = viewAt(eye, target.aim, facing);
  const hull = seen(target.mesh.hull, target.pose, view);
  for (let at = 0; at < hull.length; at += 3) {
    if (!(hull[at + 2] > NEAR) || Math.hypot(hull[at], hull[at + 1]) > STEEPEST * hull[at + 2]) throw new Doubt("near");
  }
  // An arc that has all of the target, or nothing of it, adds no lines.
  const edges = (arcs || []).map((arc) => edgesOf(arc, view));
  const isWithin = (plane, side) => least(hull, plane.map((value) => side * value)) >= side * plane[3];
  const isWhole = !arcs || edges.some((planes) => planes.every((plane) => isWithin(plane, 1)));
  const some = isWhole ? [] : edges.filter((planes) => !planes.some((plane) => isWithin(plane, -1)));
  const isOutside = !isWhole && !some.length;
  if (isBrief && isOutside) return { ...allOf(1, NaN), within: 0, withinObscured: 0, shares: [] };
  const window = grown(windowOf(hull));
  const thinnest = 1e-8 * (window.right - window.left) * (window.high - window.low);
  const outlines = new Lines(window);
  const parts = [TARGET];
  const lines = new Lines(window);
  const add = (body, ...faces) => {
    lines.count = 0;
    for (const each of faces) each.bound(lines);
    new Outline(lines, outlines, body).run();
  };
  const bodies = [];
  const planes = new Planes(hull, WAYS.map((way) => turned(way, target.pose, view)));
  for (const [number, blocker] of blockers.entries()) {
    for (const [faces, part] of partsBefore(blocker, planes, view, window)) {
      bodies.push([parts.length, number]);
      add(parts.push(part) - 1, faces);
    }
  }
  const shared = (areas) => {
    areas.shares = new Float64Array(blockers.length);
    for (const [part, number] of bodies) areas.shares[number] += areas.alone[part] / (areas.whole || 1);
    return areas;
  };
  const faces = new PlacedFaces(target.mesh, target.pose, view);
  const certain = isBrief && isWhole && faces.hasArea(thinnest) && certainOf(outlines, parts, hull);
  if (certain) return shared(certain);
  add(0, faces);
  for (const planes of some) inArc(faces, planes, (part, ...of) => add(parts.push(part) - 1, ...of));
  const areas = areasOf(outlines, parts);
  if (isOutside) areas.within = areas.withinObscured = areas.withinPerhaps = 0;
  // Seen edge-on it has no area but what rounding leaves.
  if (areas.whole < thinnest) throw new Doubt("thin");
  areas.touches = areas.obscured + areas.perhaps <= 1e-9 * areas.whole && bodies.length > 0 && isTouched(outlines, parts);
  return shared(areas);
}

// What of a blocker may be before a target, in a window: its faces that are, and those that perhaps are, [faces, part].
function partsBefore(blocker, planes, view, window) {
  const outer = seen(blocker.mesh.hull, blocker.pose, view);
  const isAhead = least(outer, [0, 0, 1]) > NEAR;
  if (isAhead && isApart(windowOf(outer), window)) return [];
  const order = planes.order(outer);
  if (order < 0) return [];
  const placed = new PlacedFaces(blocker.mesh, blocker.pose, view);
  const within = isAhead && order > 0 ? placed : placed.within(window);
  if (within.parts.some((part) => isBeforeEye(part.polygon, window))) throw new Doubt("eye");
  if (order > 0) return [[within, BLOCKER]];
  const { before, mixed } = parted(within, planes);
  return mixed ? [[before, BLOCKER], [mixed, PERHAPS]] : [[before, BLOCKER]];
}

// What is counted where all of a target is obscured, or nothing of it.
function allOf(whole, obscured) {
  return { whole, obscured, perhaps: 0, within: whole, withinObscured: obscured, withinPerhaps: 0, band: 0, touches: false };
}

// The same where outlines of blockers cover all of what lies round a target, or nothing of it; else null.
function certainOf(outlines, parts, hull) {
  if (parts.length === 1) return { ...allOf(1, 0), alone: [] };
  const { count, window } = outlines;
  if (reachOf(outlines) > roomOf(window) / 2) return null;
  const corners = around(hull, window).flatMap((corner) => [...corner, 1]);
  for (let at = 0; at < corners.length; at += 3) outlines.add(corners, at, (at + 3) % corners.length, 0, 0);
  const { whole, obscured, perhaps, alone } = areasOf(outlines, parts);
  outlines.count = count;
  if (whole - obscured <= COVERED * whole) return { ...allOf(whole, whole), alone };
  return obscured + perhaps === 0 ? { ...allOf(whole, 0), alone } : null;
}

// The convex outline of points in the picture, with the room of a window all round.
function around(points, window) {
  const room = roomOf(window);
  const corners = [];
  for (let at = 0; at < points.length; at += 3) {
    const [x, y] = [points[at] / points[at + 2], points[at + 1] / points[at + 2]];
    for (const across of [-room, room]) corners.push([x + across, y - room], [x + across, y + room]);
  }
  return hullOf(corners);
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
