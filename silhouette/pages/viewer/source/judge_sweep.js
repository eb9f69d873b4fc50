// The areas of what bodies cover in a picture, together and of each, by sweeps over the lines that bound them.
//
// Going up, the lines that are crossed keep their order from left to right but where one begins or ends, or two cross
// (Bentley and Ottmann). First a sweep over the lines of each body finds its outline, where on one side alone it covers
// anything; then one over all outlines adds up areas: that of any part of the picture is a sum of integrals of x over y
// along the lines that bound it.

export const [TARGET, BLOCKER, PERHAPS, INSIDE, NEARER] = [0, 1, 2, 3, 4]; // what a body is in a picture

// Of a line: where it begins and ends, going up; what a sweep knows of it: the height from which on it is not yet counted,
// and x there; ``delta``, which tells what is to its right from what is to its left: of a body's own lines by how much
// more its layers count there, in an outline the number of the body; what is to its left, 0 for nothing; and its place.
const REALS = ["x", "y", "end", "top", "slope", "reach", "since", "sinceX"];
const INTEGERS = ["delta", "before", "place", "active", "coming"]; // ... then those at a height, and those that begin there

// Lines in a window of the picture.
export class Lines {
  constructor(window) {
    this.size = 0;
    this.begin(window);
    this.#grow(1024);
  }

  begin(window) {
    this.window = window;
    this.count = 0;
  }

  #grow(size) {
    for (const name of REALS) this[name] = grown(this[name], new Float64Array(size));
    for (const name of INTEGERS) this[name] = grown(this[name], new Int32Array(size));
    this.size = size;
  }

  // From one point, x, y, z from an index on, to another, so many times; ``moved``: mm by which they may be off.
  add(points, from, to, times, moved) {
    const { left, right, low, high } = this.window;
    const [near, far] = [points[from + 2], points[to + 2]];
    let [x, y, end, top] = [points[from] / near, points[from + 1] / near, points[to] / far, points[to + 1] / far];
    let delta = -times;
    if (y > top) {
      [x, y, end, top] = [end, top, x, y];
      delta = times;
    }
    if (y === top || top <= low || y >= high || (x >= right && end >= right)) return;
    const slope = (end - x) / (top - y);
    if (y < low) [x, y] = [x + (low - y) * slope, low];
    if (top > high) [end, top] = [x + (high - y) * slope, high];
    const reach = moved / Math.min(near, far);
    // What lies to the left of the window is drawn together onto its left side, what lies to its right left out.
    if (x < left || end < left) {
      const cut = x < left && end < left ? top : Math.min(Math.max(y + (left - x) / slope, y), top);
      this.put(left, x < left ? y : cut, left, x < left ? cut : top, 0, delta, reach);
      if (x < left) [x, y] = [left, cut];
      else [end, top] = [left, cut];
    }
    if (x > right || end > right) {
      const cut = Math.min(Math.max(y + (right - x) / slope, y), top);
      if (x > right) [x, y] = [right, cut];
      else [end, top] = [right, cut];
    }
    this.put(x, y, end, top, (end - x) / (top - y), delta, reach);
  }

  // The sides of a polygon, x, y, z of each corner.
  addPolygon(polygon, times, moved) {
    for (let at = 0; at < polygon.length; at += 3) this.add(polygon, at, (at + 3) % polygon.length, times, moved);
  }

  put(x, y, end, top, slope, delta, reach) {
    if (y >= top) return;
    if (this.count === this.size) this.#grow(2 * this.size);
    const at = this.count;
    this.count += 1;
    this.x[at] = x;
    this.y[at] = y;
    this.end[at] = end;
    this.top[at] = top;
    this.slope[at] = slope;
    this.reach[at] = reach;
    this.delta[at] = delta;
  }
}

function grown(old, values) {
  if (old) values.set(old);
  return values;
}

// A sweep; ``beyond`` tells what is to the right of a line where something is to its left. At heights ``turned`` hears
// what is to the left of a line from there on, and ``ended`` that it ends, each with its x.
class Sweep {
  constructor(lines) {
    Object.assign(this, { lines, size: 0, comingCount: 0, crossings: new Crossings() });
    lines.before.fill(0, 0, lines.count);
  }

  run() {
    const { lines, crossings } = this;
    const { y, top, coming } = lines;
    const starts = sortedBy(y, lines.count, lines.window);
    const ends = sortedBy(top, lines.count, lines.window);
    let [start, end] = [0, 0];
    while (end < ends.length) {
      const level = start < starts.length ? Math.min(y[starts[start]], top[ends[end]]) : top[ends[end]];
      while (crossings.size && crossings.numbers[0] <= level) this.#crossed();
      const firstEnd = end;
      this.comingCount = 0;
      while (end < ends.length && top[ends[end]] === level) end += 1;
      for (; start < starts.length && y[starts[start]] === level; start += 1) coming[this.comingCount++] = starts[start];
      this.#reached(level, ends, firstEnd, end);
    }
    return this;
  }

  xAt(line, height) {
    const { x, y, end, top, slope } = this.lines;
    return height === top[line] ? end[line] : x[line] + (height - y[line]) * slope[line];
  }

  // Some lines end at a height, and those that are coming begin there.
  #reached(level, ends, first, after) {
    const { active, place, coming, before, end } = this.lines;
    let [low, high] = [Infinity, -1]; // the places between which more than a line's name has changed
    for (let index = first; index < after; index += 1) {
      const line = ends[index];
      const at = place[line];
      this.ended(line, level, end[line]);
      const next = this.#following(line);
      if (next < 0) {
        this.size -= 1;
        for (let moved = at; moved < this.size; moved += 1) place[(active[moved] = active[moved + 1])] = moved;
        this.#meet(at - 1, level);
        if (high > at) high -= 1;
        low = Math.min(low, at);
        high = Math.max(high, at - 1);
        continue;
      }
      this.#put(coming[next], at, level);
      before[coming[next]] = before[line];
      coming[next] = coming[(this.comingCount -= 1)];
      this.#meet(at - 1, level);
      this.#meet(at, level);
    }
    for (let index = 0; index < this.comingCount; index += 1) {
      const at = this.#enter(coming[index], level);
      if (low >= at && low < Infinity) low += 1;
      if (high >= at) high += 1;
      low = Math.min(low, at);
      high = Math.max(high, at);
    }
    if (low < Infinity) this.#restate(level, low, high);
    for (let index = 0; index < this.comingCount; index += 1) {
      this.#meet(place[coming[index]] - 1, level);
      this.#meet(place[coming[index]], level);
    }
  }

  // Which of the lines that begin goes on where another ends; -1 for none.
  #following(line) {
    const { x, end, delta, coming } = this.lines;
    for (let index = 0; index < this.comingCount; index += 1) {
      const other = coming[index];
      if (x[other] === end[line] && delta[other] === delta[line]) return index;
    }
    return -1;
  }

  #enter(line, level) {
    const { active, place, slope, x } = this.lines;
    let [at, high] = [0, this.size];
    while (at < high) {
      const middle = (at + high) >> 1;
      if (this.xAt(active[middle], level) < x[line]) at = middle + 1;
      else high = middle;
    }
    while (at < this.size && this.xAt(active[at], level) === x[line] && slope[active[at]] < slope[line]) at += 1;
    for (let moved = this.size; moved > at; moved -= 1) place[(active[moved] = active[moved - 1])] = moved;
    this.size += 1;
    this.#put(line, at, level);
    return at;
  }

  // A line that begins takes its place.
  #put(line, at, level) {
    this.lines.active[at] = line;
    this.lines.place[line] = at;
    this.counted(line, level, this.lines.x[line]);
  }

  // What is beside a line is counted up to a height.
  counted(line, level, x) {
    this.lines.since[line] = level;
    this.lines.sinceX[line] = x;
  }

  // What lies beside the lines from one place to another, and on as far as it changes: a level edge that leaves the window
  // on the right changes all that lies above it.
  #restate(level, low, high) {
    const { active, before } = this.lines;
    let state = low ? this.beyond(before[active[low - 1]], active[low - 1]) : 0;
    for (let at = low; at < this.size && (at <= high || before[active[at]] !== state); at += 1) {
      const line = active[at];
      if (before[line] !== state) this.turned(line, level, this.xAt(line, level), state);
      state = this.beyond(state, line);
    }
  }

  // Where two neighbours cross, if they do, is kept for later.
  #meet(at, level) {
    if (at < 0 || at + 1 >= this.size) return;
    const { top, slope, active } = this.lines;
    const [first, second] = [active[at], active[at + 1]];
    if (slope[first] <= slope[second]) return;
    const end = top[first] < top[second] ? top[first] : top[second];
    const past = this.xAt(first, end) - this.xAt(second, end);
    if (!(past > 0)) return;
    const apart = Math.max(this.xAt(second, level) - this.xAt(first, level), 0);
    this.crossings.add(level + (apart / (apart + past)) * (end - level), first, second);
  }

  #crossed() {
    const { crossings } = this;
    const { active, place, before } = this.lines;
    const [level, first, second] = [crossings.numbers[0], crossings.numbers[1], crossings.numbers[2]];
    crossings.drop();
    const at = place[first];
    if (active[at] !== first || at + 1 >= this.size || active[at + 1] !== second) return;
    const x = this.xAt(first, level);
    const left = before[first];
    this.turned(first, level, x, this.beyond(left, second));
    this.turned(second, level, x, left);
    active[at] = second;
    active[at + 1] = first;
    place[second] = at;
    place[first] = at + 1;
    this.#meet(at - 1, level);
    this.#meet(at, level);
    this.#meet(at + 1, level);
  }
}

// Adds to ``outlines`` where a body that these lines are of begins and ends to cover anything. What is beside a line is how
// often the layers of the body lie there; all of them are 0 where nothing does.
export class Outline extends Sweep {
  constructor(lines, outlines, body) {
    super(lines);
    this.outlines = outlines;
    this.body = body;
  }

  beyond(state, line) {
    return state + this.lines.delta[line];
  }

  turned(line, level, x, state) {
    const { before } = this.lines;
    if (this.#isBounding(line, state) !== this.#isBounding(line, before[line])) {
      this.ended(line, level, x);
      this.counted(line, level, x);
    }
    before[line] = state;
  }

  #isBounding(line, state) {
    return (state === 0) !== (state + this.lines.delta[line] === 0);
  }

  ended(line, level, x) {
    const { before, since, sinceX, slope, reach } = this.lines;
    if (this.#isBounding(line, before[line])) this.outlines.put(sinceX[line], since[line], x, level, slope[line], this.body, reach[line]);
  }
}

// ``outlines``: of all bodies; ``parts``: what each body is, the target first; INSIDE and NEARER of one arc follow each
// other. What is beside a line is the number of a set of bodies, those that lie there.
export class Areas extends Sweep {
  constructor(outlines, parts) {
    super(outlines);
    // ``next``: of each set and body the number of the set with that body more or less
    Object.assign(this, { parts, sets: [parts.map(() => false)], next: [], areas: [0], band: 0 });
  }

  beyond(state, line) {
    const body = this.lines.delta[line];
    return this.next[state * this.parts.length + body] ?? this.#toggled(state, body);
  }

  #toggled(state, body) {
    const set = this.sets[state].map((isIn, number) => isIn !== (number === body));
    let number = this.sets.findIndex((other) => other.every((isIn, each) => isIn === set[each]));
    if (number < 0) {
      number = this.sets.push(set) - 1;
      this.areas.push(0);
    }
    return (this.next[state * this.parts.length + body] = number);
  }

  turned(line, level, x, state) {
    this.ended(line, level, x);
    this.lines.before[line] = state;
    this.counted(line, level, x);
  }

  // A line's integral, up to a height, goes to what it bounds.
  ended(line, level, x) {
    const { areas, sets } = this;
    const { since, sinceX, before, delta, reach, window } = this.lines;
    const high = level - since[line];
    if (!(high > 0)) return;
    const state = before[line];
    const area = (0.5 * (sinceX[line] + x) - window.left) * high;
    areas[state] += area;
    areas[this.beyond(state, line)] -= area;
    if (delta[line] === 0 || sets[state][0]) this.band += 2 * Math.hypot(high, x - sinceX[line]) * reach[line];
  }

  // In squares of the picture at a distance of one; ``band`` is by how much one may be off.
  sums() {
    const { parts, areas, band } = this;
    const sums = { whole: 0, obscured: 0, perhaps: 0, within: 0, withinObscured: 0, withinPerhaps: 0, band, alone: parts.map(() => 0) };
    const hasArcs = parts.includes(INSIDE);
    for (const [state, covers] of this.sets.entries()) {
      if (!covers[0]) continue;
      const has = (part) => parts.some((own, body) => own === part && covers[body]);
      const isIn = !hasArcs || parts.some((own, body) => own === INSIDE && covers[body] && !covers[body + 1]);
      const kind = has(BLOCKER) ? "Obscured" : has(PERHAPS) ? "Perhaps" : "";
      sums.whole += areas[state];
      if (kind) sums[kind.toLowerCase()] += areas[state];
      if (isIn) sums.within += areas[state];
      if (isIn && kind) sums[`within${kind}`] += areas[state];
      for (const [body, isThere] of covers.entries()) if (isThere) sums.alone[body] += areas[state];
    }
    return sums;
  }
}

// The numbers of lines in the order of their values: first by as many equal steps as there are lines, then exactly.
function sortedBy(values, count, { low, high }) {
  const steps = count / (high - low);
  const first = new Uint32Array(count + 2);
  const stepOf = (line) => ((values[line] - low) * steps) | 0;
  for (let line = 0; line < count; line += 1) first[stepOf(line) + 1] += 1;
  for (let step = 0; step <= count; step += 1) first[step + 1] += first[step];
  const order = new Uint32Array(count);
  for (let line = 0; line < count; line += 1) order[first[stepOf(line)]++] = line;
  for (let index = 1; index < count; index += 1) {
    const line = order[index];
    let at = index;
    for (; at > 0 && values[order[at - 1]] > values[line]; at -= 1) order[at] = order[at - 1];
    order[at] = line;
  }
  return order;
}

// Pairs of lines by the height at which they cross, the lowest first: a heap of height, first and second.
class Crossings {
  constructor() {
    this.size = 0;
    this.numbers = new Float64Array(3072);
  }

  add(level, first, second) {
    if (this.size === this.numbers.length) this.numbers = grown(this.numbers, new Float64Array(2 * this.size));
    let at = this.size;
    this.size += 3;
    for (let above; at > 0; at = above) {
      above = 3 * ((at / 3 - 1) >> 1);
      if (this.numbers[above] <= level) break;
      this.#move(above, at);
    }
    this.numbers[at] = level;
    this.numbers[at + 1] = first;
    this.numbers[at + 2] = second;
  }

  // Takes the lowest away.
  drop() {
    const { numbers } = this;
    const last = (this.size -= 3);
    let at = 0;
    for (let below = 3; below < last; below = 2 * at + 3) {
      if (below + 3 < last && numbers[below + 3] < numbers[below]) below += 3;
      if (numbers[below] >= numbers[last]) break;
      this.#move(below, at);
      at = below;
    }
    this.#move(last, at);
  }

  #move(from, to) {
    const { numbers } = this;
    numbers[to] = numbers[from];
    numbers[to + 1] = numbers[from + 1];
    numbers[to + 2] = numbers[from + 2];
  }
}
