// A mesh as the judge takes it: faces, the edges where they meet, and the lines that bound what some of them cover.
//
// How many faces that look at the eye lie over a place of the picture is a sum over edges: an edge counts with its
// imbalance, by how many more of them it has on its one side than on its other. See silhouette/measure/silhouettes.py.

export const NEAR = 1e-3; // mm: what lies nearer to the plane of the eye is cut away

// How often a face counts in both layers: of one seen from behind, of none, and of one that looks at the eye.
const LAYER = 1 << 16;
const LAYERS = [LAYER, 0, LAYER + 1];
const [LEFT, RIGHT, BELOW, ABOVE, BEHIND] = [1, 2, 4, 8, 16];

export class Faces {
  // ``points``: Float64Array of x, y, z in mm, in the model's frame, no two at one place; ``corners``: three of each face;
  // ``moved``: mm by which a point may lie from where the file has it; ``hull``: points in whose hull all lie.
  constructor(points, corners, moved, hull = points) {
    this.points = points;
    this.corners = corners;
    this.moved = moved;
    this.hull = hull;
    this.#planes();
    this.#edges();
  }

  // Of each face what a point times its first three and less its fourth number is: above 0 on the side of its normal.
  #planes() {
    const { points: p, corners } = this;
    this.planes = new Float64Array((4 * corners.length) / 3);
    for (let at = 0, side = 0; side < corners.length; at += 4, side += 3) {
      const [a, b, c] = [3 * corners[side], 3 * corners[side + 1], 3 * corners[side + 2]];
      const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
      const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
      const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      this.planes.set([x, y, z, x * p[a] + y * p[a + 1] + z * p[a + 2]], at);
    }
  }

  #edges() {
    const { corners } = this;
    const count = corners.length;
    let size = 1;
    while (size < 2 * count) size *= 2;
    const slots = new Int32Array(size).fill(-1);
    const [from, to, first, next] = [0, 1, 2, 3].map(() => new Int32Array(count));
    let edges = 0;
    next.fill(-1);
    for (let side = 0; side < count; side += 1) {
      const start = corners[side];
      const end = corners[side % 3 === 2 ? side - 2 : side + 1];
      if (start === end) continue;
      const low = Math.min(start, end);
      const high = Math.max(start, end);
      let slot = (Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)) >>> 7;
      for (slot &= size - 1; ; slot = (slot + 1) & (size - 1)) {
        const edge = slots[slot];
        if (edge >= 0 && (from[edge] !== low || to[edge] !== high)) continue;
        const own = edge < 0 ? edges : edge;
        if (edge < 0) {
          slots[slot] = own;
          from[own] = low;
          to[own] = high;
          first[own] = -1;
          edges += 1;
        }
        next[side] = first[own];
        first[own] = side;
        break;
      }
    }
    // Where two faces meet that run along an edge in opposite directions: its ends, as the first of them runs, and both.
    const even = [];
    const odd = []; // of any other edge its ends, then each face, and 1 where it runs from the first end, else -1
    for (let edge = 0; edge < edges; edge += 1) {
      const one = first[edge];
      const two = next[one];
      const isForth = (side) => corners[side] === from[edge];
      if (two >= 0 && next[two] < 0 && isForth(one) !== isForth(two)) {
        const ends = isForth(one) ? [from[edge], to[edge]] : [to[edge], from[edge]];
        even.push(3 * ends[0], 3 * ends[1], Math.floor(one / 3), Math.floor(two / 3));
        continue;
      }
      const of = [3 * from[edge], 3 * to[edge]];
      for (let side = one; side >= 0; side = next[side]) of.push(Math.floor(side / 3), isForth(side) ? 1 : -1);
      odd.push(of);
    }
    this.even = Int32Array.from(even);
    this.odd = odd;
  }
}

// From a model's frame to what is seen: along right, up and forward of the view, from the eye.
function seeing(pose, { axes, eye }) {
  const m = new Float64Array(12);
  for (let row = 0; row < 3; row += 1) {
    for (let column = 0; column < 4; column += 1) {
      for (let k = 0; k < 3; k += 1) m[4 * row + column] += axes[3 * row + k] * (pose[4 * k + column] - (column === 3 ? eye[k] : 0));
    }
  }
  return m;
}

// One of some points, seen, is put where others are.
function put(m, points, at, found, to) {
  const [x, y, z] = [points[at], points[at + 1], points[at + 2]];
  found[to] = m[0] * x + m[1] * y + m[2] * z + m[3];
  found[to + 1] = m[4] * x + m[5] * y + m[6] * z + m[7];
  found[to + 2] = m[8] * x + m[9] * y + m[10] * z + m[11];
}

function allSeen(points, m) {
  const found = new Float64Array(points.length);
  for (let at = 0; at < points.length; at += 3) put(m, points, at, found, at);
  return found;
}

// (3 n) points of a model's frame, seen.
export function seen(points, pose, view) {
  return allSeen(points, seeing(pose, view));
}

// The eye in a model's frame.
function eyeIn(pose, eye) {
  const [a, b, c, , d, e, f, , g, h, i] = pose;
  const [x, y, z] = eye.map((value, axis) => value - pose[4 * axis + 3]);
  const rows = [[e * i - f * h, c * h - b * i, b * f - c * e], [f * g - d * i, a * i - c * g, c * d - a * f], [d * h - e * g, b * g - a * h, a * e - b * d]];
  const size = a * rows[0][0] + b * rows[1][0] + c * rows[2][0];
  return rows.map(([p, q, r]) => (p * x + q * y + r * z) / size);
}

// What of a polygon, x, y, z of each corner, lies where ``value`` is at least 0.
export function clipped(polygon, value) {
  const found = [];
  const count = polygon.length / 3;
  for (let here = 0; here < count; here += 1) {
    const there = (here + 1) % count;
    const [p, q] = [polygon.slice(3 * here, 3 * here + 3), polygon.slice(3 * there, 3 * there + 3)];
    const [a, b] = [value(p[0], p[1], p[2]), value(q[0], q[1], q[2])];
    if (a >= 0) found.push(p[0], p[1], p[2]);
    if (a >= 0 === b >= 0) continue;
    const share = a / (a - b);
    for (let axis = 0; axis < 3; axis += 1) found.push(p[axis] + share * (q[axis] - p[axis]));
  }
  return found;
}

// 1 where an eye is on the side of a plane's normal, -1 on the other, 0 on neither.
function sideOf(planes, at, eye) {
  const ahead = planes[at] * eye[0] + planes[at + 1] * eye[1] + planes[at + 2] * eye[2] - planes[at + 3];
  return ahead < 0 ? 1 : ahead > 0 ? -1 : 0;
}

function own(some, name, value) {
  Object.defineProperty(some, name, { value });
  return value;
}

// A body's faces in a picture: each has a side, 1 where the eye is on that of its normal, -1 on the other, 0 on neither
// or where it is left out; and parts of faces that were cut, as polygons.
export class PlacedFaces {
  constructor(mesh, pose, view) {
    this.mesh = mesh;
    this.matrix = seeing(pose, view);
    this.eye = eyeIn(pose, view.eye);
    this.parts = []; // {polygon, side}
  }

  // Most bodies are drawn whole, by few of their edges: all points, and sides, are worked out where they are wanted.
  get points() {
    return own(this, "points", allSeen(this.mesh.points, this.matrix));
  }

  get sides() {
    const sides = new Int8Array(this.mesh.corners.length / 3);
    for (let face = 0; face < sides.length; face += 1) sides[face] = sideOf(this.mesh.planes, 4 * face, this.eye);
    return own(this, "sides", sides);
  }

  // Whether a face alone covers more than an area of the picture.
  hasArea(least) {
    const p = new Float64Array(9);
    const { points, corners } = this.mesh;
    for (let face = 0; face < corners.length; face += 3) {
      for (let corner = 0; corner < 3; corner += 1) put(this.matrix, points, 3 * corners[face + corner], p, 3 * corner);
      const [x, y] = [p[0] / p[2], p[1] / p[2]];
      if (Math.abs((p[3] / p[5] - x) * (p[7] / p[8] - y) - (p[6] / p[8] - x) * (p[4] / p[5] - y)) > 2 * least) return true;
    }
    return false;
  }

  polygon(face) {
    const found = [];
    for (let corner = 3 * face; corner < 3 * face + 3; corner += 1) {
      const at = 3 * this.mesh.corners[corner];
      found.push(this.points[at], this.points[at + 1], this.points[at + 2]);
    }
    return found;
  }

  // The same body with other faces.
  with(sides, parts) {
    const other = Object.create(PlacedFaces.prototype);
    own(other, "sides", sides);
    own(other, "points", this.points);
    return Object.assign(other, { mesh: this.mesh, matrix: this.matrix, parts });
  }

  // The faces that may reach into a window of the picture, of what lies farther than the plane of the eye.
  within(window) {
    const { points, parts, eye } = this;
    const { corners, planes } = this.mesh;
    const { left, right, low, high } = window;
    const codes = new Uint8Array(points.length / 3);
    for (let vertex = 0, at = 0; vertex < codes.length; vertex += 1, at += 3) {
      const x = points[at];
      const y = points[at + 1];
      const z = points[at + 2];
      codes[vertex] =
        (x < left * z ? LEFT : 0) | (x > right * z ? RIGHT : 0) | (y < low * z ? BELOW : 0) | (y > high * z ? ABOVE : 0) | (z < NEAR ? BEHIND : 0);
    }
    const sides = new Int8Array(corners.length / 3);
    const cut = [];
    for (let face = 0, at = 0; face < sides.length; face += 1, at += 3) {
      const [one, two, three] = [codes[corners[at]], codes[corners[at + 1]], codes[corners[at + 2]]];
      if (one & two & three) continue;
      const side = sideOf(planes, 4 * face, eye);
      if (!((one | two | three) & BEHIND)) sides[face] = side;
      else if (side) cut.push({ polygon: clipped(this.polygon(face), (x, y, z) => z - NEAR), side });
    }
    return this.with(sides, [...parts, ...cut]);
  }

  // What lies where ``plane`` times a point, in picture coordinates, is at least ``least``.
  clipped(plane, least) {
    const value = (x, y, z) => plane[0] * x + plane[1] * y + plane[2] * z - least;
    const { points } = this;
    const { corners } = this.mesh;
    const inside = new Uint8Array(points.length / 3);
    for (let vertex = 0, at = 0; vertex < inside.length; vertex += 1, at += 3) {
      inside[vertex] = value(points[at], points[at + 1], points[at + 2]) >= 0 ? 1 : 0;
    }
    const sides = this.sides.slice();
    const parts = [];
    for (const part of this.parts) {
      const polygon = clipped(part.polygon, value);
      if (polygon.length) parts.push({ polygon, side: part.side });
    }
    for (let face = 0; face < sides.length; face += 1) {
      const count = inside[corners[3 * face]] + inside[corners[3 * face + 1]] + inside[corners[3 * face + 2]];
      if (count === 3 || !sides[face]) continue;
      if (count) parts.push({ polygon: clipped(this.polygon(face), value), side: sides[face] });
      sides[face] = 0;
    }
    return this.with(sides, parts);
  }

  // Adds the lines that bound what these faces cover. A layer winds round a place as often as faces that look at the eye
  // lie over it, a second one, told apart by `LAYER`, as often as more others do: of a closed body that has no lines.
  bound(lines) {
    const { sides, matrix } = this;
    const { points, even, odd, moved } = this.mesh;
    const ends = new Float64Array(6);
    const add = (from, to, times) => {
      put(matrix, points, from, ends, 0);
      put(matrix, points, to, ends, 3);
      lines.add(ends, 0, 3, times, moved);
    };
    for (let at = 0; at < even.length; at += 4) {
      const first = sides[even[at + 2]];
      const second = sides[even[at + 3]];
      if (first !== second) add(even[at], even[at + 1], LAYERS[first + 1] - LAYERS[second + 1]);
    }
    for (const edge of odd) {
      let times = 0;
      for (let at = 2; at < edge.length; at += 2) times += edge[at + 1] * LAYERS[sides[edge[at]] + 1];
      if (times) add(edge[0], edge[1], times);
    }
    for (const { polygon, side } of this.parts) {
      for (let at = 0; at < polygon.length; at += 3) lines.add(polygon, at, (at + 3) % polygon.length, LAYERS[side + 1], moved);
    }
  }
}
