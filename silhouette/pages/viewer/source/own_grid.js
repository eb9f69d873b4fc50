// A mesh cut at heights and looked down on, in a grid of cells in plan, as silhouette/models/surfaces.py has it: triangles
// are nine numbers each, mm, masks have one byte a cell, row by row.

export const ACROSS = 128; // cells across the footprint
export const SECTORS = 72; // directions from the middle of a base
export const THINNEST = 0.7; // mm; no base is thinner
const MOST_SAMPLES = 5_000_000;
const STEP = 0.05; // mm between the heights at which level surface is counted
const CELLS = ACROSS * ACROSS;

// What the page leaves to the desk, since it is not plain.
export class Unclear extends Error {}

// The triangles of a mesh, each vertex moved by ``moved``: nine numbers each.
export function trianglesOf(points, corners, moved = [0, 0, 0]) {
  return Float64Array.from({ length: 3 * corners.length }, (_, index) => points[3 * corners[Math.floor(index / 3)] + (index % 3)] + moved[index % 3]);
}

export const lowest = (triangles, at) => Math.min(triangles[at + 2], triangles[at + 5], triangles[at + 8]);
export const highest = (triangles, at) => Math.max(triangles[at + 2], triangles[at + 5], triangles[at + 8]);

// The segments in plan along which triangles cross a height: [x, y, x, y, ...].
export function section(triangles, z) {
  const found = [];
  for (let at = 0; at < triangles.length; at += 9) {
    const [a, b, c] = [triangles[at + 2] >= z, triangles[at + 5] >= z, triangles[at + 8] >= z];
    if (a === b && b === c) continue;
    const alone = a === b ? 2 : a === c ? 1 : 0;
    const tip = at + 3 * alone;
    for (const turn of [1, 2]) {
      const end = at + 3 * ((alone + turn) % 3);
      const share = (z - triangles[tip + 2]) / (triangles[end + 2] - triangles[tip + 2]);
      for (const axis of [0, 1]) found.push(triangles[tip + axis] + share * (triangles[end + axis] - triangles[tip + axis]));
    }
  }
  return found;
}

// The plan of what lies between two heights: the corners there, and where edges cross either.
export function planBetween(triangles, low, high) {
  const found = [];
  for (let at = 0; at < triangles.length; at += 3) {
    if (triangles[at + 2] >= low && triangles[at + 2] <= high) found.push(triangles[at], triangles[at + 1]);
  }
  for (const z of [low, high]) for (const value of section(triangles, z)) found.push(value);
  return found;
}

// A square grid of cells in plan round points; null where these span less than ``least`` mm.
export function windowRound(points, least) {
  if (!points.length) return null;
  const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
  for (let at = 0; at < points.length; at += 1) {
    const axis = at % 2;
    if (points[at] < low[axis]) low[axis] = points[at];
    if (points[at] > high[axis]) high[axis] = points[at];
  }
  const size = Math.max(high[0] - low[0], high[1] - low[1]);
  if (!(least <= size && size < Infinity)) return null;
  const cell = (1.1 * size) / ACROSS;
  return { low: low.map((value, axis) => (value + high[axis]) / 2 - (cell * ACROSS) / 2), cell, size };
}

// The cell in which a point lies; -1 outside the window.
export function cellAt({ low, cell }, x, y) {
  const [column, row] = [Math.floor((x - low[0]) / cell), Math.floor((y - low[1]) / cell)];
  return column >= 0 && column < ACROSS && row >= 0 && row < ACROSS ? row * ACROSS + column : -1;
}

export const middleOf = ({ low, cell }, flat) => [low[0] + ((flat % ACROSS) + 0.5) * cell, low[1] + (Math.floor(flat / ACROSS) + 0.5) * cell];

// The ends of a segment where it lies in the window: [x, y, x, y]; null where it does not.
function clipped({ low, cell }, ax, ay, bx, by) {
  const [start, end] = [[ax, ay], [bx, by]];
  let [first, last] = [0, 1];
  for (const axis of [0, 1]) {
    const run = end[axis] - start[axis];
    const shares = [(low[axis] - start[axis]) / run, (low[axis] + ACROSS * cell - start[axis]) / run];
    if (shares.some(Number.isNaN)) continue;
    first = Math.max(first, Math.min(...shares));
    last = Math.min(last, Math.max(...shares));
  }
  if (first > last) return null;
  const at = (share) => start.map((value, axis) => value + share * (end[axis] - value));
  return [...(first > 0 ? at(first) : start), ...(last < 1 ? at(last) : end)];
}

// The cells within the outer outlines of the section at a height, hollows filled.
export function filled(triangles, window, z) {
  const ends = section(triangles, z);
  const wall = new Uint8Array(CELLS);
  let left = MOST_SAMPLES;
  for (let at = 0; at < ends.length; at += 4) {
    const segment = clipped(window, ends[at], ends[at + 1], ends[at + 2], ends[at + 3]);
    if (!segment) continue;
    const [x, y] = segment;
    const [dx, dy] = [segment[2] - x, segment[3] - y];
    const steps = Math.ceil(Math.sqrt(dx * dx + dy * dy) / (0.7 * window.cell)) + 1;
    left -= steps;
    if (left < 0) throw new Unclear();
    for (let step = 0; step < steps; step += 1) {
      const along = step / Math.max(steps - 1, 1);
      const cell = cellAt(window, x + along * dx, y + along * dy);
      if (cell >= 0) wall[cell] = 1;
    }
  }
  const free = wall.map((value) => 1 - value);
  const edge = free.map((_, cell) => Number(cell < ACROSS || cell >= CELLS - ACROSS || cell % ACROSS === 0 || cell % ACROSS === ACROSS - 1));
  return joined(free, edge).map((value) => 1 - value);
}

// The pieces of a mask that are connected along rows and columns: {labels, sizes}, numbered from 1 row by row.
export function labelled(mask) {
  const labels = new Int32Array(CELLS);
  const sizes = [0];
  const open = [];
  for (let cell = 0; cell < CELLS; cell += 1) {
    if (!mask[cell] || labels[cell]) continue;
    const number = sizes.length;
    sizes.push(0);
    const reach = (to, isInside) => {
      if (!isInside || !mask[to] || labels[to]) return;
      labels[to] = number;
      sizes[number] += 1;
      open.push(to);
    };
    reach(cell, true);
    while (open.length) {
      const at = open.pop();
      const column = at % ACROSS;
      reach(at - 1, column > 0);
      reach(at + 1, column < ACROSS - 1);
      reach(at - ACROSS, at >= ACROSS);
      reach(at + ACROSS, at < CELLS - ACROSS);
    }
  }
  return { labels, sizes };
}

// The cells of a mask that are connected with a seed in it.
export function joined(free, seeds) {
  const { labels, sizes } = labelled(free);
  const isReached = new Uint8Array(sizes.length);
  for (let cell = 0; cell < CELLS; cell += 1) if (free[cell] && seeds[cell]) isReached[labels[cell]] = 1;
  return Uint8Array.from(labels, (label) => (label ? isReached[label] : 0));
}

export function largest(mask) {
  const { labels, sizes } = labelled(mask);
  const number = sizes.indexOf(Math.max(...sizes), 1);
  return Uint8Array.from(labels, (label) => Number(label > 0 && label === number));
}

export const count = (mask) => mask.reduce((sum, value) => sum + (value ? 1 : 0), 0);
export const both = (one, other) => one.map((value, cell) => value & other[cell]);
export const either = (one, other) => one.map((value, cell) => value | other[cell]);
export const not = (mask) => mask.map((value) => 1 - value);

export function cellsOf(mask) {
  const found = [];
  for (let cell = 0; cell < mask.length; cell += 1) if (mask[cell]) found.push(cell);
  return found;
}

// The direction, a sector, and the distance of a cell from a point.
export function polar(cell, window, centre) {
  const [x, y] = middleOf(window, cell);
  const [dx, dy] = [x - centre[0], y - centre[1]];
  return [Math.floor((Math.atan2(dy, dx) / (2 * Math.PI) + 0.5) * SECTORS) % SECTORS, Math.hypot(dx, dy)];
}

// How far cells reach from a point in each direction, mm.
export function radii(cells, window, centre) {
  const reach = new Float64Array(SECTORS);
  for (const cell of cells) {
    const [sector, radius] = polar(cell, window, centre);
    reach[sector] = Math.max(reach[sector], radius);
  }
  return reach;
}

export function centreOf(cells, window) {
  const sum = [0, 0];
  for (const cell of cells) {
    const [x, y] = middleOf(window, cell);
    sum[0] += x;
    sum[1] += y;
  }
  return sum.map((value) => value / cells.length);
}

export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// The heights of the surface over the middles of cells, wherever it is flatter than some slope.
export class Levels {
  constructor(cells, z) {
    this.cells = cells;
    this.z = z;
  }

  static of(triangles, window, flattest, ceiling, least = THINNEST) {
    const levels = new Levels([], []);
    let left = MOST_SAMPLES;
    for (let at = 0; at < triangles.length; at += 9) {
      if (highest(triangles, at) < least || lowest(triangles, at) > ceiling) continue;
      const [a, b, c] = [0, 3, 6].map((place) => triangles.subarray(at + place, at + place + 3));
      const [u, v] = [b, c].map((point) => point.map((value, axis) => value - a[axis]));
      const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      if (!(Math.abs(normal[2]) > flattest * Math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2))) continue;
      const plan = [a, b, c].map((point) => [0, 1].map((axis) => (point[axis] - window.low[axis]) / window.cell - 0.5));
      const rows = span(Math.min(...plan.map(([, y]) => y)), Math.max(...plan.map(([, y]) => y)));
      left -= Math.max(rows[1] - rows[0] + 1, 0);
      for (let row = rows[0]; row <= rows[1]; row += 1) {
        const columns = span(...crossings(plan, row));
        left -= Math.max(columns[1] - columns[0] + 1, 0);
        if (left < 0) throw new Unclear();
        for (let column = columns[0]; column <= columns[1]; column += 1) {
          const offset = [(column - plan[0][0]) * window.cell, (row - plan[0][1]) * window.cell];
          const z = a[2] - (offset[0] * normal[0] + offset[1] * normal[1]) / normal[2];
          if (!(z >= least - 0.6 && z <= ceiling)) continue;
          levels.cells.push(row * ACROSS + column);
          levels.z.push(z);
        }
      }
    }
    return levels;
  }

  // Heights about which much of the surface is level within ``reach``: the largest area first, well apart.
  candidates(reach, ceiling) {
    const counts = [0];
    for (const z of this.z) {
      const bin = Math.trunc(z / STEP);
      while (counts.length <= bin) counts.push(0);
      counts[bin] += 1;
    }
    const wide = Math.round(reach / STEP);
    const heights = counts.map((_, bin) => (bin + 0.5) * STEP);
    const support = counts.map((_, bin) => {
      if (heights[bin] < THINNEST || heights[bin] > ceiling) return 0;
      let sum = 0;
      for (let other = Math.max(bin - wide, 0); other <= Math.min(bin + wide, counts.length - 1); other += 1) sum += counts[other];
      return sum;
    });
    const found = [];
    for (;;) {
      let best = 0;
      for (let bin = 1; bin < support.length; bin += 1) if (support[bin] > support[best]) best = bin;
      if (!(support[best] > 0.006 * CELLS)) return found;
      const middle = heights[best];
      found.push(median(this.within(middle, reach + STEP).z));
      for (const [bin, height] of heights.entries()) if (Math.abs(height - middle) <= 2 * reach + STEP) support[bin] = 0;
    }
  }

  within(height, reach) {
    const chosen = this.z.map((_, index) => index).filter((index) => Math.abs(this.z[index] - height) <= reach);
    return new Levels(chosen.map((index) => this.cells[index]), chosen.map((index) => this.z[index]));
  }

  // The cells in which any of it lies no higher than a height.
  below(height) {
    const covered = new Uint8Array(CELLS);
    for (const [index, z] of this.z.entries()) if (z <= height) covered[this.cells[index]] = 1;
    return covered;
  }

  // Whether the surface near a height is one level plane.
  isPlane(height) {
    const near = (reach) => this.z.filter((z) => Math.abs(z - height) <= reach).length;
    return near(0.03) >= 0.7 * near(0.15);
  }
}

const clip = (value, low, high) => Math.min(Math.max(value, low), high);

// The first and the last whole number of the grid between two numbers.
const span = (low, high) => [Math.ceil(clip(low, 0, ACROSS)), Math.floor(clip(high, -1, ACROSS - 1))];

// The least and the greatest x at which a triangle's outline crosses a row.
function crossings(plan, row) {
  let [left, right] = [Infinity, -Infinity];
  for (let corner = 0; corner < 3; corner += 1) {
    const [start, end] = [plan[corner], plan[(corner + 1) % 3]];
    const rise = end[1] - start[1];
    const share = (row - start[1]) / rise;
    if (rise === 0 || !(share >= 0 && share <= 1)) continue;
    const x = start[0] + share * (end[0] - start[0]);
    left = Math.min(left, x);
    right = Math.max(right, x);
  }
  return [left, right];
}
