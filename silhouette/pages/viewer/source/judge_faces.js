// A mesh as the judge takes it: faces, the edges where they meet, and the lines that bound what some of them cover.
//
// How many faces that look at the eye lie over a place of the picture is a sum over edges: an edge counts with its
// imbalance, by how many more of them it has on its one side than on its other. See silhouette/measure/silhouettes.py.

export const NEAR = 1e-3; // mm: what lies nearer to the plane of the eye is cut away

// How often a face counts in both layers: of one seen from behind, of none, and of one that looks at the eye.
const LAYER = 1 << 16;
const LAYERS = [LAYER, 0, LAYER + 1];

export const BLOCK = 32; // faces, one after another, that are looked at together: most of them are neighbours

export class Faces {
  // ``points``: Float64Array of x, y, z in mm, in the model's frame, no two at one place; ``corners``: three of each face;
  // ``moved``: mm by which a point may lie from where the file has it; ``hull``: points in whose hull all lie.
  constructor(points, corners, moved, hull = points) {
    Object.assign(this, { points, corners, moved, hull });
    this.#planes();
    this.#boxes();
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

  // The corners of the boxes round blocks of faces.
  #boxes() {
    const { points, corners } = this;
    this.boxes = new Float64Array(24 * Math.ceil(corners.length / 3 / BLOCK));
    for (let at = 0; at < this.boxes.length; at += 24) {
      const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
      for (const vertex of corners.subarray((at / 8) * BLOCK, (at / 8 + 3) * BLOCK)) {
        for (let axis = 0; axis < 3; axis += 1) {
          low[axis] = Math.min(low[axis], points[3 * vertex + axis]);
          high[axis] = Math.max(high[axis], points[3 * vertex + axis]);
        }
      }
      for (let place = 0; place < 24; place += 1) this.boxes[at + place] = ((Math.floor(place / 3) >> place % 3) & 1 ? high : low)[place % 3];
    }
  }

  // ``even``: where two faces meet that run along an edge in opposite directions its ends, as the first of them runs, and
  // both; ``odd``: of any other edge its ends, then each face, and 1 where it runs from the first end, else -1.
  #edges() {
    const { corners } = this;
    const count = corners.length;
    const endOf = (side) => corners[side % 3 === 2 ? side - 2 : side + 1];
    let size = 1;
    while (size < 2 * count) size *= 2;
    const slots = new Int32Array(size).fill(-1); // of each edge, where its ends send it, the last side that was met
    const before = new Int32Array(count).fill(-1); // the side of the same edge that was met before
    const isLast = new Uint8Array(count); // whether none of it was met after
    for (let side = 0; side < count; side += 1) {
      const [start, end] = [corners[side], endOf(side)];
      if (start === end) continue;
      let slot = (Math.imul(Math.min(start, end), 0x9e3779b1) ^ Math.imul(Math.max(start, end), 0x85ebca6b)) >>> 7;
      for (slot &= size - 1; slots[slot] >= 0; slot = (slot + 1) & (size - 1)) {
        const [first, last] = [corners[slots[slot]], endOf(slots[slot])];
        if ((first === start && last === end) || (first === end && last === start)) break;
      }
      before[side] = slots[slot];
      isLast[before[side]] = 0;
      isLast[side] = 1;
      slots[slot] = side;
    }
    const even = [];
    this.odd = [];
    for (let side = 0; side < count; side += 1) {
      if (!isLast[side]) continue;
      const [start, end, other] = [corners[side], endOf(side), before[side]];
      if (other >= 0 && before[other] < 0 && corners[other] === end) {
        even.push(3 * start, 3 * end, Math.floor(side / 3), Math.floor(other / 3));
        continue;
      }
      const edge = [3 * start, 3 * end];
      for (let each = side; each >= 0; each = before[each]) edge.push(Math.floor(each / 3), corners[each] === start ? 1 : -1);
      this.odd.push(edge);
    }
    this.even = Int32Array.from(even);
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
function put(m, points, at, others, to) {
  const [x, y, z] = [points[at], points[at + 1], points[at + 2]];
  others[to] = m[0] * x + m[1] * y + m[2] * z + m[3];
  others[to + 1] = m[4] * x + m[5] * y + m[6] * z + m[7];
  others[to + 2] = m[8] * x + m[9] * y + m[10] * z + m[11];
}

// (3 n) points of a model's frame, seen.
export function seen(points, pose, view) {
  const [m, others] = [seeing(pose, view), new Float64Array(points.length)];
  for (let at = 0; at < points.length; at += 3) put(m, points, at, others, at);
  return others;
}

// The eye in a model's frame.
function eyeIn(pose, eye) {
  const [a, b, c, , d, e, f, , g, h, i] = pose;
  const [x, y, z] = eye.map((value, axis) => value - pose[4 * axis + 3]);
  const rows = [[e * i - f * h, c * h - b * i, b * f - c * e], [f * g - d * i, a * i - c * g, c * d - a * f], [d * h - e * g, b * g - a * h, a * e - b * d]];
  const size = a * rows[0][0] + b * rows[1][0] + c * rows[2][0];
  return rows.map(([p, q, r]) => (p * x + q * y + r * z) / size);
}

// How far one of some points lies beyond a plane: its first three numbers times the point, less the fourth.
export function beyond(plane, points, at) {
  return plane[0] * points[at] + plane[1] * points[at + 1] + plane[2] * points[at + 2] - plane[3];
}

// What of a polygon, x, y, z of each corner, does not lie before a plane.
export function clipped(polygon, plane) {
  const corners = [];
  for (let here = 0; here < polygon.length; here += 3) {
    const there = (here + 3) % polygon.length;
    const [a, b] = [beyond(plane, polygon, here), beyond(plane, polygon, there)];
    if (a >= 0) corners.push(polygon[here], polygon[here + 1], polygon[here + 2]);
    if (a >= 0 === b >= 0) continue;
    for (let axis = 0; axis < 3; axis += 1) corners.push(polygon[here + axis] + (a / (a - b)) * (polygon[there + axis] - polygon[here + axis]));
  }
  return Float64Array.from(corners);
}

// A body's faces in a picture: each has a side, 1 where the eye is on that of its normal, -1 on the other, 0 on neither
// or where it is left out, as all are until taken; and parts of faces that were cut, {polygon, side}.
export class PlacedFaces {
  constructor({ mesh, matrix, eye }, sides = new Int8Array(mesh.corners.length / 3), parts = []) {
    Object.assign(this, { mesh, matrix, eye, sides, parts, isTaken: false });
  }

  static of(mesh, pose, view) {
    return new PlacedFaces({ mesh, matrix: seeing(pose, view), eye: eyeIn(pose, view.eye) });
  }

  // Takes faces, from one to another, or of a face the part that is left of it.
  take(from, to, polygon = null) {
    const { sides, eye, parts } = this;
    const { planes } = this.mesh;
    const [x, y, z] = eye;
    this.isTaken = true;
    for (let face = from, at = 4 * from; face < to; face += 1, at += 4) {
      const ahead = planes[at] * x + planes[at + 1] * y + planes[at + 2] * z - planes[at + 3];
      sides[face] = (ahead < 0) - (ahead > 0); // no branch: none would be foreseen
    }
    if (!polygon) return;
    if (sides[from]) parts.push({ polygon, side: sides[from] });
    sides[from] = 0;
  }

  // The corners of a block's box, or of a face, x, y, z each.
  box(block, corners = new Float64Array(24)) {
    for (let at = 0; at < 24; at += 3) put(this.matrix, this.mesh.boxes, 24 * block + at, corners, at);
    return corners;
  }

  polygon(face, corners = new Float64Array(9)) {
    for (let corner = 0; corner < 3; corner += 1) put(this.matrix, this.mesh.points, 3 * this.mesh.corners[3 * face + corner], corners, 3 * corner);
    return corners;
  }

  // Whether a face alone covers more than an area of the picture.
  hasArea(least) {
    return this.sides.some((side, face) => {
      const p = this.polygon(face);
      const [x, y] = [p[0] / p[2], p[1] / p[2]];
      return Math.abs((p[3] / p[5] - x) * (p[7] / p[8] - y) - (p[6] / p[8] - x) * (p[4] / p[5] - y)) > 2 * least;
    });
  }

  // What does not lie before a plane.
  clipped(plane) {
    const { points, corners } = this.mesh;
    const isInside = new Uint8Array(points.length / 3);
    const point = new Float64Array(3);
    for (let vertex = 0; vertex < isInside.length; vertex += 1) {
      put(this.matrix, points, 3 * vertex, point, 0);
      isInside[vertex] = beyond(plane, point, 0) >= 0 ? 1 : 0;
    }
    const sides = this.sides.slice();
    const parts = this.parts.slice();
    for (let face = 0; face < sides.length; face += 1) {
      if (!sides[face]) continue;
      const count = isInside[corners[3 * face]] + isInside[corners[3 * face + 1]] + isInside[corners[3 * face + 2]];
      if (count === 3) continue;
      if (count) parts.push({ polygon: this.polygon(face), side: sides[face] });
      sides[face] = 0;
    }
    const cut = parts.map(({ polygon, side }) => ({ polygon: clipped(polygon, plane), side })).filter(({ polygon }) => polygon.length);
    return new PlacedFaces(this, sides, cut);
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
    for (const { polygon, side } of this.parts) lines.addPolygon(polygon, LAYERS[side + 1], moved);
  }
}
