// The height of a figure's base where it is plain: a level top on one slab, with a ledge all round. The steps are those of
// silhouette/models/bases.py; what has frames, pegs, pillars, brims or a rough top is left to the desk.
import { ACROSS, Levels, SECTORS, Unclear, both, cellAt, cellsOf, centreOf, count, either, filled, highest, joined, labelled, largest, lowest, median, middleOf, not, planBetween, polar, radii, windowRound } from "./own_grid.js";
import { hullOf } from "./outlines.js";

const NARROWEST = 12; // mm; no base is smaller
const HIGHEST = 12; // mm
const HIGHEST_SHARE = 0.4; // of the model's height
const STEEPEST = 0.3; // height over diameter
const LEDGE_SHARE = 0.55; // of all directions, in which the ledge reaches the rim
const HUNG_LEDGE_SHARE = 0.7; // the same, with frames about
const LIP_SHARE = 0.85; // the same, for a second level above the first
const FILL_SHARE = 0.8; // of its convex hull that a slab fills
const STEADY_FALL = -0.7; // of height with distance: a gown's hem
const LOWEST_FIGURE = 2; // mm above a base
const CLEARANCE = 7; // mm above a slab, where only what stands on it is met
const BRIM = 0.35; // mm
const HOLLOW_SHARE = 0.1;
const SMALLEST_SLAB = 68; // mm²
const REACH = 0.15; // mm by which a level top is uneven
const LEVEL = 0.95; // the least upright part of its normal
const HANGING_SHARE = 0.6; // of the model's height, where pillars are looked for
const HANGING = 60; // mm
const HANGING_AREA = 0.3; // of a slab above it
const FLANGE = 3; // mm
const MOST_FEET = 4; // what stands on more, all of them thin, stands on pillars
const PILLAR_AREA = 4; // mm²
const TRUNK_AREA = 60; // mm²
const TALLEST_PILLARS = 20; // mm
const PILLAR_STEP = 0.5; // mm
const BESIDE = 0.25; // mm by which what is below a base's top may lie beside it: more moves the middle of both

// The height above the lowest point, mm, of triangles as own_grid.js has them, the lowest at 0; null where it is unclear.
export function baseHeightOf(triangles) {
  try {
    let tall = 0;
    for (let at = 0; at < triangles.length; at += 9) tall = Math.max(tall, highest(triangles, at));
    const height = new Ground(triangles, tall).height();
    if (height === null || hasPillars(triangles, height, Math.min(HANGING_SHARE * tall, HANGING)) || isOverhung(triangles, height)) return null;
    return height;
  } catch (error) {
    if (error instanceof Unclear) return null;
    throw error;
  }
}

function chosen(triangles, holds) {
  const kept = [];
  for (let at = 0; at < triangles.length; at += 9) if (holds(at)) for (let place = 0; place < 9; place += 1) kept.push(triangles[at + place]);
  return Float64Array.from(kept);
}

// What lies near the ground, in which slabs are looked for.
class Ground {
  constructor(triangles, tall) {
    this.all = triangles;
    const ceiling = Math.min(HIGHEST, HIGHEST_SHARE * tall, tall - LOWEST_FIGURE);
    this.triangles = chosen(triangles, (at) => lowest(triangles, at) <= ceiling + CLEARANCE && highest(triangles, at) >= 0);
    this.window = windowRound(planBetween(this.triangles, 0, 0.5), NARROWEST);
    if (!this.window) throw new Unclear();
    this.ceiling = Math.min(ceiling, STEEPEST * this.window.size);
    this.surface = Levels.of(this.triangles, this.window, 0, this.ceiling + CLEARANCE, -Infinity);
    this.known = new Map();
  }

  outlines(z) {
    if (!this.known.has(z)) this.known.set(z, filled(this.triangles, this.window, z));
    return this.known.get(z);
  }

  height() {
    const levels = Levels.of(this.triangles, this.window, LEVEL, this.ceiling + REACH);
    const slabs = [];
    for (const height of levels.candidates(REACH, this.ceiling)) {
      const slab = this.#slabAt(height, levels.within(height, REACH), slabs.length ? LIP_SHARE : LEDGE_SHARE);
      if (slab) slabs.push([height, slab]);
    }
    if (!slabs.length) return null;
    const [first, ...lips] = slabs;
    const [top, slab] = lips.filter(([height]) => levels.isPlane(height)).reduce((best, lip) => (lip[0] > best[0] ? lip : best), first);
    const height = median(levels.within(top, REACH).z);
    return this.#isAlone(slab, height) ? height : null;
  }

  // Whether all that lies below a height is the slab, so that the middle of both is one.
  #isAlone(slab, height) {
    const beside = joined(either(slab, slab.map((_, cell) => slab[cell - 1] | slab[cell + 1] | slab[cell - ACROSS] | slab[cell + ACROSS])), slab);
    const ends = (points, isChosen) => {
      const box = [Infinity, Infinity, -Infinity, -Infinity];
      for (let at = 0; at < points.length; at += 2) {
        if (!isChosen(points[at], points[at + 1])) continue;
        for (const axis of [0, 1]) {
          box[axis] = Math.min(box[axis], points[at + axis]);
          box[2 + axis] = Math.max(box[2 + axis], points[at + axis]);
        }
      }
      return box;
    };
    const all = ends(planBetween(this.triangles, -Infinity, height), () => true);
    const own = ends(planBetween(this.triangles, 0, 0.6 * height), (x, y) => beside[cellAt(this.window, x, y)] === 1);
    return [0, 1].every((axis) => Math.abs(all[axis] + all[2 + axis] - own[axis] - own[2 + axis]) / 2 <= BESIDE);
  }

  // The slab below a height, if there is one.
  #slabAt(height, ledge, least) {
    const above = height + CLEARANCE;
    const isOpen = either(not(either(this.outlines(above), this.surface.below(above))), this.#idle(height));
    const outline = this.#ledged(height, ledge, least);
    let slab = outline;
    if (!outline || count(both(outline, isOpen)) >= HOLLOW_SHARE * count(outline)) slab = this.#ledged(height, ledge, Math.max(least, HUNG_LEDGE_SHARE), isOpen);
    if (slab && !this.#carries(slab, height + 0.7 * LOWEST_FIGURE)) slab = null;
    const frame = slab && !outline ? largest(both(this.outlines(0.5 * height), not(slab))) : outline;
    if (frame && frame !== slab && this.#areaOf(frame) >= SMALLEST_SLAB) throw new Unclear();
    return slab;
  }

  #areaOf(mask) {
    return count(mask) * this.window.cell ** 2;
  }

  #ledged(height, ledge, least, isOpen = null) {
    const slab = this.#slabBelow(height, isOpen);
    return slab && rimShare(ledge, slab, this.window, height) >= least ? slab : null;
  }

  // The slab that fills the space below a height: about the same outline in all sections.
  #slabBelow(height, isOpen) {
    const { window } = this;
    const solid = (z) => (isOpen ? withoutFrames(this.outlines(z), isOpen) : this.outlines(z));
    const middle = solid(0.5 * height);
    const main = largest(middle);
    const cells = cellsOf(main);
    if (!cells.length || cells.length < 0.75 * count(middle)) return null;
    const hull = hullRound(main, window);
    if (cells.length * window.cell ** 2 < FILL_SHARE * areaOf(hull) || 2 * radiusRound(hull) < Math.max(NARROWEST, height / STEEPEST)) return null;
    const [bottom, foot, high] = [0.04 * height, Math.min(BRIM, 0.4 * height), 0.9 * height].map(solid);
    const centre = centreOf(cells, window);
    const [below, half, over] = [bottom, main, both(high, main)].map((mask) => radii(cellsOf(mask), window, centre));
    const slack = window.cell + 0.6;
    const steady = half.filter((reach, way) => below[way] >= reach - slack && over[way] >= reach - slack - 0.6 * height).length;
    return steady / SECTORS >= 0.7 ? joined(either(foot, main), main) : null;
  }

  // The cells of what ends below a height, beside something on which a figure stands, and carries nothing.
  #idle(height) {
    const solid = this.outlines(0.5 * height);
    const { labels, sizes } = labelled(solid);
    if (sizes.length < 3) return new Uint8Array(solid.length);
    const isIdle = sizes.map((size, number) => number > 0 && size * this.window.cell ** 2 >= SMALLEST_SLAB && !this.#carries(Uint8Array.from(labels, (label) => Number(label === number)), height + 0.7 * LOWEST_FIGURE));
    return Uint8Array.from(labels, (label) => Number(isIdle[label]));
  }

  // Whether anything crosses a height over a slab, or a middle of what is above lies over it.
  #carries(slab, height) {
    if (both(slab, this.outlines(height)).some(Boolean)) return true;
    const aloft = [[], []];
    for (let at = 0; at < this.all.length; at += 3) if (this.all[at + 2] > height) for (const axis of [0, 1]) aloft[axis].push(this.all[at + axis]);
    const ends = aloft.map((values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]));
    const middles = [aloft.map(median), ends.map(([low, high]) => (low + high) / 2)];
    return middles.some(([x, y]) => slab[cellAt(this.window, x, y)] === 1);
  }
}

// A mask without the cells that are open, and the pieces that enclose some of these.
function withoutFrames(mask, isOpen) {
  const remaining = both(mask, not(isOpen));
  const { labels, sizes } = labelled(remaining);
  for (let number = 1; number < sizes.length; number += 1) {
    const outside = Uint8Array.from(labels, (label) => Number(label !== number));
    const edge = outside.map((_, cell) => Number(cell < ACROSS || cell >= outside.length - ACROSS || cell % ACROSS === 0 || cell % ACROSS === ACROSS - 1));
    const enclosed = not(joined(outside, edge));
    if (count(both(enclosed, isOpen)) < HOLLOW_SHARE * count(enclosed)) continue;
    for (const [cell, label] of labels.entries()) if (label === number) remaining[cell] = 0;
  }
  return remaining;
}

// The share of directions in which a ledge reaches a slab's rim, but for the width of a bevel.
function rimShare(ledge, slab, window, height) {
  const cells = cellsOf(slab);
  const centre = centreOf(cells, window);
  const rim = radii(cells, window, centre);
  const on = ledge.cells.map((_, index) => index).filter((index) => slab[ledge.cells[index]]);
  if (!on.length) return 0;
  const z = on.map((index) => ledge.z[index]);
  const out = on.map((index) => {
    const [sector, radius] = polar(ledge.cells[index], window, centre);
    return radius / rim[sector];
  });
  if (spread(z, z) > 0.1 ** 2 && spread(out, z) / Math.sqrt(spread(out, out) * spread(z, z)) < STEADY_FALL) return 0;
  const reach = radii(on.map((index) => ledge.cells[index]), window, centre);
  return reach.filter((radius, way) => radius >= rim[way] - 0.8 * height - window.cell - 0.4).length / SECTORS;
}

// The covariance of two lists.
function spread(some, others) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [first, second] = [mean(some), mean(others)];
  return mean(some.map((value, index) => (value - first) * (others[index] - second)));
}

// The convex hull of the middles of a mask's cells, anticlockwise.
function hullRound(mask, window) {
  const ends = new Map();
  for (const cell of cellsOf(mask)) {
    const row = Math.floor(cell / ACROSS);
    ends.set(row, [ends.get(row)?.[0] ?? cell, cell]);
  }
  const places = [...ends.values()].flatMap(([first, last]) => (first === last ? [first] : [first, last])).map((cell) => middleOf(window, cell));
  return hullOf(places);
}

const areaOf = (hull) => Math.abs(hull.reduce((sum, [x, y], index) => sum + x * hull[(index + 1) % hull.length][1] - y * hull[(index + 1) % hull.length][0], 0)) / 2;

// The radius of the smallest circle round points: grown point by point (E. Welzl, 1991).
function radiusRound(points) {
  let circle = { x: 0, y: 0, r: -1 };
  const holds = ([x, y]) => Math.hypot(x - circle.x, y - circle.y) <= circle.r * (1 + 1e-12) + 1e-12;
  for (let i = 0; i < points.length; i += 1) {
    if (holds(points[i])) continue;
    circle = { x: points[i][0], y: points[i][1], r: 0 };
    for (let j = 0; j < i; j += 1) {
      if (holds(points[j])) continue;
      circle = circleOf(points[i], points[j]);
      for (let k = 0; k < j; k += 1) if (!holds(points[k])) circle = circleOf(points[i], points[j], points[k]);
    }
  }
  return circle.r;
}

function circleOf(a, b, c = null) {
  if (!c) return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, r: Math.hypot(a[0] - b[0], a[1] - b[1]) / 2 };
  const [bx, by, cx, cy] = [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]];
  const twice = 2 * (bx * cy - by * cx);
  const [bb, cc] = [bx * bx + by * by, cx * cx + cy * cy];
  const [x, y] = [(cy * bb - by * cc) / twice, (bx * cc - cx * bb) / twice];
  return { x: a[0] + x, y: a[1] + y, r: Math.hypot(x, y) };
}

// Whether what stands on a height is thin pillars all, as printing supports are.
function hasPillars(triangles, ground, highestAt) {
  const window = windowRound(planBetween(triangles, ground, highestAt), 0);
  if (!window) return false;
  const top = Math.min(highestAt, ground + TALLEST_PILLARS);
  const near = chosen(triangles, (at) => lowest(triangles, at) <= top && highest(triangles, at) >= ground);
  for (let step = 1; ground + step * PILLAR_STEP < top; step += 1) {
    const [, ...sizes] = labelled(filled(near, window, ground + step * PILLAR_STEP)).sizes;
    const widest = Math.max(0, ...sizes) * window.cell ** 2;
    if (widest > TRUNK_AREA) return false;
    if (sizes.length > MOST_FEET && widest <= PILLAR_AREA) return true;
  }
  return false;
}

// Whether a far wider slab begins soon above.
function isOverhung(triangles, height) {
  const window = windowRound(planBetween(triangles, 0, height + FLANGE), NARROWEST);
  if (!window) return false;
  const [flange, ...above] = [0.5 * height, ...[0.3, 1.2, 2.1, 3].map((more) => height + more)].map((z) => count(largest(filled(triangles, window, z))));
  return flange <= HANGING_AREA * Math.max(...above);
}
