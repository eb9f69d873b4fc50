// A figure as a grid of small cubes, filled from its surface, and how deep each lies: silhouette/models/cubes.py.
const MARGIN = 4; // empty cubes on every side
const PINHOLE = 0.02; // of a hollow's cubes, which lie next to the outside
const CLOSED_SHARE = 0.9; // of the cubes behind the shell in all directions that is inside
const MOST_POINTS = 5_000_000;

// The grid: {shape, low, pitch, cubes}, ``cubes`` with one byte each, z running fastest; null where it spans no volume.
export function cubesOf(triangles, along) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let at = 0; at < triangles.length; at += 1) {
    const axis = at % 3;
    if (triangles[at] < low[axis]) low[axis] = triangles[at];
    if (triangles[at] > high[axis]) high[axis] = triangles[at];
  }
  const pitch = Math.max(...high.map((value, axis) => value - low[axis])) / along;
  if (!(pitch > 0 && pitch < Infinity)) return null;
  const shape = high.map((value, axis) => Math.floor((value - low[axis]) / pitch) + 1 + 2 * MARGIN);
  const corner = low.map((value, axis) => (value + high[axis] - shape[axis] * pitch) / 2);
  const shell = new Uint8Array(shape[0] * shape[1] * shape[2]);
  let left = MOST_POINTS + (6 * triangles.length) / 9;
  const put = (x, y, z) => {
    left -= 1;
    const [i, j, k] = [Math.floor((x - corner[0]) / pitch), Math.floor((y - corner[1]) / pitch), Math.floor((z - corner[2]) / pitch)];
    shell[(i * shape[1] + j) * shape[2] + k] = 1;
  };
  for (let at = 0; at < triangles.length && left > 0; at += 9) inRows(triangles, at, 0.7 * pitch, put);
  return left > 0 ? { shape, low: corner, pitch, cubes: solidOf(shell, shape) } : null;
}

// Points in rows along the longest edge of a triangle, no farther apart than ``spacing``.
function inRows(triangles, at, spacing, put) {
  const corner = (number, axis) => triangles[at + 3 * (number % 3) + axis];
  const lengthOf = (x, y, z) => Math.sqrt(x * x + y * y + z * z);
  const edges = [0, 1, 2].map((start) => lengthOf(...[0, 1, 2].map((axis) => corner(start + 1, axis) - corner(start, axis))));
  const long = Math.max(...edges);
  if (long <= spacing / 2) {
    put(...[0, 1, 2].map((axis) => (corner(0, axis) + corner(1, axis) + corner(2, axis)) / 3));
    return;
  }
  const first = edges.indexOf(long);
  const [a, b, apex] = [0, 1, 2].map((turn) => [0, 1, 2].map((axis) => corner(first + turn, axis)));
  const [u, v] = [b, apex].map((point) => point.map((value, axis) => value - a[axis]));
  const high = lengthOf(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / Math.max(long, 1e-12);
  const rows = Math.ceil(high / spacing) + 1;
  for (let row = 0; row < rows; row += 1) {
    const up = row / Math.max(rows - 1, 1);
    const columns = Math.ceil((long * (1 - up)) / spacing) + 1;
    for (let column = 0; column < columns; column += 1) {
      const share = column / Math.max(columns - 1, 1);
      put(...[0, 1, 2].map((axis) => (1 - up) * ((1 - share) * a[axis] + share * b[axis]) + up * apex[axis]));
    }
  }
}

// Of each cube the cubes beside it, in the six directions: ``act(to)`` is called with the places of those in the grid.
function besides(at, shape, act) {
  const [, wide, tall] = shape;
  const k = at % tall;
  const j = Math.floor(at / tall) % wide;
  const i = Math.floor(at / (tall * wide));
  if (i > 0) act(at - wide * tall);
  if (i < shape[0] - 1) act(at + wide * tall);
  if (j > 0) act(at - tall);
  if (j < wide - 1) act(at + tall);
  if (k > 0) act(at - 1);
  if (k < tall - 1) act(at + 1);
}

// The shell and the cubes inside it. A cube is outside where no shell lies between it and the border along an axis, to a
// side or upwards, or where it is connected with such cubes by more than a pinhole.
function solidOf(shell, shape) {
  const [long, wide, tall] = shape;
  const met = new Uint8Array(shell.length); // of the six directions, a bit for each in which the shell is met
  const swept = (lines, step, length, starts) => {
    for (let line = 0; line < lines; line += 1) {
      const start = starts(line);
      for (const [bit, from, to, way] of [[0, 0, length, 1], [1, length - 1, -1, -1]]) {
        let isMet = false;
        for (let place = from; place !== to; place += way) {
          const at = start + place * step;
          isMet ||= shell[at] === 1;
          if (isMet) met[at] |= 1 << (2 * [wide * tall, tall, 1].indexOf(step) + bit);
        }
      }
    }
  };
  swept(wide * tall, wide * tall, long, (line) => line);
  swept(long * tall, tall, wide, (line) => Math.floor(line / tall) * wide * tall + (line % tall));
  swept(long * wide, 1, tall, (line) => line * tall);
  const ALL = 63;
  const NOT_BELOW = ALL & ~16;
  const isLow = (at) => at % tall < MARGIN;
  const hidden = met.map((bits, at) => Number((bits & NOT_BELOW) === NOT_BELOW && !shell[at] && !isLow(at)));
  const isOutside = (at) => !shell[at] && !hidden[at] && !isLow(at);
  const inside = hidden.slice();
  const seen = new Uint8Array(shell.length);
  for (let first = 0; first < shell.length; first += 1) {
    if (!hidden[first] || seen[first]) continue;
    const piece = [first];
    seen[first] = 1;
    let open = 0;
    for (let index = 0; index < piece.length; index += 1) {
      let isOpen = 0;
      besides(piece[index], shape, (to) => {
        if (isOutside(to)) isOpen = 1;
        if (!hidden[to] || seen[to]) return;
        seen[to] = 1;
        piece.push(to);
      });
      open += isOpen;
    }
    if (open > PINHOLE * piece.length) for (const at of piece) inside[at] = 0;
  }
  let [enclosed, held] = [0, 0];
  for (let at = 0; at < shell.length; at += 1) {
    if (met[at] !== ALL || shell[at]) continue;
    enclosed += 1;
    held += inside[at];
  }
  const isLeaking = held < CLOSED_SHARE * enclosed;
  const bitsOf = (bits) => [1, 2, 4, 8, 16, 32].filter((bit) => bits & bit).length;
  return shell.map((value, at) => Number(value || (isLeaking ? bitsOf(met[at]) >= 5 : inside[at])));
}

// The distance of each cube of ``cubes`` from the nearest cube outside them, in cubes, at most ``reach``; along each axis
// by the lower envelope of parabolas (P. Felzenszwalb, D. Huttenlocher, 2012).
export function depths(cubes, [long, wide, tall], reach) {
  const squares = Float64Array.from(cubes, (value) => (value ? Infinity : 0));
  const most = Math.max(long, wide, tall);
  const [values, tips, borders] = [new Float64Array(most), new Int32Array(most), new Float64Array(most + 1)];
  const line = (start, step, length) => {
    let count = 0;
    for (let place = 0; place < length; place += 1) {
      const value = squares[start + place * step];
      values[place] = value;
      if (value === Infinity) continue;
      let border = -Infinity;
      while (count) {
        const tip = tips[count - 1];
        border = (value + place * place - values[tip] - tip * tip) / (2 * (place - tip));
        if (border > borders[count - 1]) break;
        count -= 1;
      }
      if (!count) border = -Infinity;
      tips[count] = place;
      borders[count] = border;
      count += 1;
    }
    if (!count) return;
    for (let place = 0, own = 0; place < length; place += 1) {
      while (own + 1 < count && borders[own + 1] < place) own += 1;
      squares[start + place * step] = (place - tips[own]) ** 2 + values[tips[own]];
    }
  };
  for (let at = 0; at < long * wide; at += 1) line(at * tall, 1, tall);
  for (let i = 0; i < long; i += 1) for (let k = 0; k < tall; k += 1) line(i * wide * tall + k, tall, wide);
  for (let at = 0; at < wide * tall; at += 1) line(at, wide * tall, long);
  return squares.map((value) => Math.min(Math.sqrt(value), reach));
}
