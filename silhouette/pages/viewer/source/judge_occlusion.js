// What bodies obscure of a target, seen from an eye: which of their faces are before it, and what these cover of it.
import { beyond, BLOCK, clipped, NEAR, PlacedFaces, seen } from "./judge_faces.js";
import { Areas, BLOCKER, INSIDE, Lines, NEARER, Outline, PERHAPS, TARGET } from "./judge_sweep.js";
import { hullOf } from "./outlines.js";

const TOUCHING = 5e-5; // mm: a surface that is nearer than another by less hides nothing of it
const STEEPEST = Math.tan((75 * Math.PI) / 180); // a target that reaches further off the middle is none for one picture
const COVERED = 1e-12; // of what lies round a target: what a sum of areas leaves by rounding where all of it is obscured
const TURNS = 16; // directions of planes round the upright

// What a sweep goes over, and what it finds: kept, so that no check has to make room for it.
const [LINES, OUTLINES] = [new Lines(), new Lines()];

// The directions in which planes are tried that part two bodies: level, and sloping up and down, all round.
const WAYS = [[0, 0, 1], [0, 0, -1]];
for (let turn = 0; turn < TURNS; turn += 1) {
  const [x, y] = [Math.cos((2 * Math.PI * turn) / TURNS), Math.sin((2 * Math.PI * turn) / TURNS)];
  for (const up of [0, 1, -1]) WAYS.push([x / Math.hypot(1, up), y / Math.hypot(1, up), up / Math.hypot(1, up)]);
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((value) => value / Math.hypot(...a));
const EYE = [0, 0, 1, NEAR]; // a plane just before it
const opposite = (plane) => plane.map((value) => -value);

// Why a picture does not tell: the desk is asked.
export class Doubt extends Error {}

// Straight at a point, upright.
function viewAt(eye, aim, facing) {
  const forward = unit(aim.map((value, axis) => value - eye[axis]));
  const steep = Math.hypot(forward[0], forward[1]) < 1e-9;
  const angle = (facing * Math.PI) / 180;
  const right = unit(cross(forward, steep ? [Math.cos(angle), Math.sin(angle), 0] : [0, 0, 1]));
  return { eye, axes: [...right, ...cross(right, forward), ...forward] };
}

// A direction of the world, in picture coordinates.
function inView(way, { axes }) {
  return [0, 3, 6].map((row) => dot(axes.slice(row, row + 3), way));
}

// The least and the greatest of points along an axis.
export function spanOf(points, axis) {
  const values = points.map((point) => point[axis]);
  return [Math.min(...values), Math.max(...values)];
}

// The window round places in the picture, with a little room, so that what only touches them reaches into it.
function windowOf(places) {
  const [[left, right], [low, high]] = [spanOf(places, 0), spanOf(places, 1)];
  const room = 1e-4 * Math.max(right - left, high - low);
  return { left: left - room, right: right + room, low: low - room, high: high + room, room };
}

// The least by which points lie beyond a plane.
function leastBeyond(plane, points) {
  let least = Infinity;
  for (let at = 0; at < points.length; at += 3) least = Math.min(least, beyond(plane, points, at));
  return least;
}

// Planes that touch a target, and have all of it on one side; of those that have the eye there, too, are the sides of the
// window in which it is seen.
class Planes {
  constructor(hull, ways, window) {
    this.hull = hull;
    this.sides = [[-1, 0, window.left, 0], [1, 0, -window.right, 0], [0, -1, window.low, 0], [0, 1, -window.high, 0]];
    this.before = [];
    this.behind = [...this.sides, opposite(EYE)];
    for (const way of ways) {
      const reach = -leastBeyond([...opposite(way), 0], hull);
      if (reach < 0) this.before.push([...way, reach + TOUCHING]);
      else this.behind.push([...way, reach - TOUCHING]);
    }
  }

  // 1 where all of some points are before the target, -1 where all are behind it, else 0.
  order(points) {
    if (isBeyond(this.behind, points)) return -1;
    return isBeyond(this.before, points) ? 1 : 0;
  }

  // The same of a polygon, by its own plane if by no other.
  orderOf(p) {
    const order = this.order(p);
    if (order) return order;
    const way = cross([p[3] - p[0], p[4] - p[1], p[5] - p[2]], [p[6] - p[0], p[7] - p[1], p[8] - p[2]]);
    const reach = dot(way, p);
    const length = (reach > 0 ? -1 : 1) * Math.hypot(way[0], way[1], way[2]); // to the side of the eye
    if (!(Math.abs(reach / length) >= 1e-9)) return -1;
    const plane = [...way, reach].map((value) => value / length);
    let [isBehind, isBefore] = [true, true];
    for (let at = 0; at < this.hull.length && (isBehind || isBefore); at += 3) {
      const isFarther = beyond(plane, this.hull, at) > -TOUCHING;
      isBehind &&= isFarther;
      isBefore &&= !isFarther;
    }
    return isBefore - isBehind;
  }

  // Whether a polygon, cut off before the eye, is seen there in the window: what was cut away could hide something.
  isBeforeEye(polygon) {
    return [...this.sides, [0, 0, 1, 2 * NEAR]].map(opposite).reduce(clipped, polygon).length > 0;
  }
}

// Whether all of some points lie beyond one of some planes, which is then the first: it may well part the next ones.
function isBeyond(planes, points) {
  for (let number = 0; number < planes.length; number += 1) {
    const plane = planes[number];
    let at = 0;
    while (at < points.length && beyond(plane, points, at) >= 0) at += 3;
    if (at < points.length) continue;
    [planes[0], planes[number]] = [plane, planes[0]];
    return true;
  }
  return false;
}

// What of a blocker may be before a target: its faces that are, and those of which no plane tells, [faces, part].
function partsBefore({ mesh, pose }, planes, view) {
  const hull = seen(mesh.hull, pose, view);
  if (planes.order(hull) < 0) return [];
  const isAhead = leastBeyond(EYE, hull) > 0;
  const before = PlacedFaces.of(mesh, pose, view);
  const mixed = new PlacedFaces(before);
  const sort = (polygon, face) => {
    const part = isAhead || leastBeyond(EYE, polygon) >= 0 ? null : clipped(polygon, EYE);
    if (part && planes.isBeforeEye(part)) throw new Doubt("eye");
    const order = planes.orderOf(part || polygon);
    if (order >= 0) (order ? before : mixed).take(face, face + 1, part);
  };
  const [box, corners] = [new Float64Array(24), new Float64Array(9)];
  for (let block = 0, end = 0; end < before.sides.length; block += 1) {
    const start = end;
    end = Math.min(start + BLOCK, before.sides.length);
    const order = planes.order(before.box(block, box));
    if (order > 0 && isAhead) before.take(start, end);
    else if (order >= 0) for (let face = start; face < end; face += 1) sort(before.polygon(face, corners), face);
  }
  return [[before, BLOCKER], [mixed, PERHAPS]].filter(([faces]) => faces.isTaken);
}

// What is obscured of a target: {mesh, pose, aim}, by blockers: {mesh, pose}, seen from an eye. ``arcs``: null, or wedges
// in plan, {apex, right, left}, in which alone the target is seen. ``isBrief``: whether its own faces need not be counted
// where it is certain without them that it is out of arc, obscured as a whole, or not at all; areas are then those of what
// is round it, or NaN. `Doubt` where no picture tells.
export function occlusionOf({ eye, facing, arcs, target, blockers, isBrief }) {
  const view = viewAt(eye, target.aim, facing);
  const hull = seen(target.mesh.hull, target.pose, view);
  const places = [];
  for (let at = 0; at < hull.length; at += 3) {
    places.push([hull[at] / hull[at + 2], hull[at + 1] / hull[at + 2]]);
    if (!(hull[at + 2] > NEAR) || Math.hypot(...places.at(-1)) > STEEPEST) throw new Doubt("near");
  }
  // An arc that has all of the target, or nothing of it, adds no lines.
  const edges = (arcs || []).map((arc) => edgesOf(arc, view));
  const isWhole = !arcs || edges.some((arc) => arc.every((plane) => leastBeyond(plane, hull) >= 0));
  const partly = isWhole ? [] : edges.filter((arc) => !arc.some((plane) => leastBeyond(opposite(plane), hull) >= 0));
  const isOutside = !isWhole && !partly.length;
  if (isBrief && isOutside) return { ...allOf(1, NaN), within: 0, withinObscured: 0, shares: [] };
  const window = windowOf(places);
  const thinnest = 1e-8 * (window.right - window.left) * (window.high - window.low);
  const [parts, owners] = [[TARGET], []];
  OUTLINES.begin(window);
  const add = (body, ...bodies) => {
    LINES.begin(window);
    for (const faces of bodies) faces.bound(LINES);
    new Outline(LINES, OUTLINES, body).run();
  };
  const planes = new Planes(hull, WAYS.map((way) => inView([0, 4, 8].map((row) => dot(target.pose.slice(row, row + 3), way)), view)), window);
  for (const [number, blocker] of blockers.entries()) {
    for (const [faces, part] of partsBefore(blocker, planes, view)) {
      owners.push(number);
      add(parts.push(part) - 1, faces);
    }
  }
  const faces = PlacedFaces.of(target.mesh, target.pose, view);
  let areas = isBrief && isWhole && faces.hasArea(thinnest) ? certainOf(OUTLINES, parts, places) : null;
  if (!areas) {
    faces.take(0, faces.sides.length);
    add(0, faces);
    for (const arc of partly) inArc(faces, arc, (part, ...of) => add(parts.push(part) - 1, ...of));
    areas = new Areas(OUTLINES, parts).run().sums();
    if (isOutside) areas.within = areas.withinObscured = areas.withinPerhaps = 0;
    if (areas.whole < thinnest) throw new Doubt("thin"); // seen edge-on it has no area but what rounding leaves
    areas.touches = areas.obscured + areas.perhaps <= 1e-9 * areas.whole && owners.length > 0 && isTouched(OUTLINES, parts);
  }
  areas.shares = new Float64Array(blockers.length);
  for (const [body, number] of owners.entries()) areas.shares[number] += areas.alone[body + 1] / (areas.whole || 1);
  return areas;
}

// The edges of an arc, as planes upright, in picture coordinates: what is inside lies before neither.
function edgesOf({ apex, right, left }, view) {
  return [[-right[1], right[0], 0], [left[1], -left[0], 0]].map((across) => {
    return [...inView(across, view), across[0] * (apex[0] - view.eye[0]) + across[1] * (apex[1] - view.eye[1])];
  });
}

// Adds what of a target's faces lies in an arc, and what of them is nearer than that: see `_in_arc` of occlusion.py.
function inArc(faces, arc, add) {
  add(INSIDE, arc.reduce((inside, plane) => inside.clipped(plane), faces));
  add(NEARER, ...arc.filter((plane) => plane[3] > 1e-9).map((plane) => faces.clipped(opposite(plane))));
}

// What is counted where all of a target is obscured, or nothing of it.
function allOf(whole, obscured) {
  return { whole, obscured, perhaps: 0, within: whole, withinObscured: obscured, withinPerhaps: 0, band: 0, touches: false, alone: [] };
}

// The same where outlines of blockers cover all of what lies round a target, or nothing of it; else null.
function certainOf(outlines, parts, places) {
  if (parts.length === 1) return allOf(1, 0);
  const { count, window: { room } } = outlines;
  if (reachOf(outlines) > room / 2) return null;
  const isFirstCovered = isCovered(places[0], outlines);
  if (places.some((place) => isCovered(place, outlines) !== isFirstCovered)) return null;
  const corners = hullOf(places).flatMap(([x, y]) => [[x - room, y - room], [x + room, y - room], [x - room, y + room], [x + room, y + room]]);
  outlines.addPolygon(hullOf(corners).flatMap((corner) => [...corner, 1]), 0, 0);
  const { whole, obscured, perhaps, alone } = new Areas(outlines, parts).run().sums();
  outlines.count = count;
  if (whole - obscured <= COVERED * whole) return { ...allOf(whole, whole), alone };
  return obscured + perhaps === 0 ? { ...allOf(whole, 0), alone } : null;
}

// Whether a place in the picture lies in the outline of a body: of such a body an odd number of lines lie to its left.
function isCovered([left, height], { count, x, y, top, slope, delta }) {
  const odd = new Set();
  for (let line = 0; line < count; line += 1) {
    if (y[line] > height || top[line] <= height || x[line] + (height - y[line]) * slope[line] > left) continue;
    if (!odd.delete(delta[line])) odd.add(delta[line]);
  }
  return odd.size > 0;
}

// By how much lines in a picture may be off, and lines that meet them.
function reachOf({ reach, count }) {
  return 2 * reach.subarray(0, count).reduce((most, each) => Math.max(most, each), 0);
}

// Whether a blocker that obscures nothing comes so near to the rim of the target's silhouette, which then takes its
// place, that it may.
function isTouched(outlines, parts) {
  LINES.begin(outlines.window);
  const reach = reachOf(outlines);
  for (let line = 0; line < outlines.count; line += 1) {
    if (outlines.delta[line]) continue;
    outlines.delta[line] = parts.length;
    const [x, y, end, top] = ["x", "y", "end", "top"].map((name) => outlines[name][line]);
    const [along, up] = [end - x, top - y].map((length) => (reach * length) / (Math.hypot(end - x, top - y) || 1));
    const [left, right] = [[x - along, y - up], [end + along, top + up]];
    const corners = [[left[0] - up, left[1] + along], [left[0] + up, left[1] - along], [right[0] + up, right[1] - along], [right[0] - up, right[1] + along]];
    LINES.addPolygon(corners.flatMap((corner) => [...corner, 1]), 1, 0);
  }
  new Outline(LINES, outlines, 0).run();
  const { obscured, perhaps } = new Areas(outlines, [...parts, null]).run().sums();
  return obscured + perhaps > 0;
}
