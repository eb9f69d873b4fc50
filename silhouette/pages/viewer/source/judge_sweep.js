// The areas of what bodies cover in a picture, together and of each, by one sweep over the lines that bound them.
//
// Going up, the lines that are crossed keep their order from left to right but where one begins or ends, or two cross
// (Bentley and Ottmann). A line bounds what its body covers where this is so on one side of it alone; the area of any
// part of the picture is a sum of integrals of x over y along the lines that bound it.

export const [TARGET, BLOCKER, PERHAPS, INSIDE, NEARER] = [0, 1, 2, 3, 4]; // what a body is in a picture

function grown(old, values) {
  if (old) values.set(old);
  return values;
}

// Lines in a window of the picture: each goes upward, and ``delta`` is by how much its layer counts more to its right.
export class Lines {
  constructor(window) {
    this.window = window;
    this.count = 0;
    this.#grow(4096);
  }

  #grow(size) {
    for (const name of ["x", "y", "end", "top", "slope", "reach"]) this[name] = grown(this[name], new Float64Array(size));
    for (const name of ["layer", "delta"]) this[name] = grown(this[name], new Int16Array(size));
    this.size = size;
  }

  // From one point, x, y, z from an index on, to another, so many times; ``moved``: mm by which they may be off.
  add(points, from, to, times, layer, moved) {
    const { left, right, low, high } = this.window;
    const near = points[from + 2];
    const far = points[to + 2];
    let x = points[from] / near;
    let y = points[from + 1] / near;
    let end = points[to] / far;
    let top = points[to + 1] / far;
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
      if (x < left) {
        this.#put(left, y, left, cut, layer, delta, reach);
        [x, y] = [left, cut];
      } else {
        this.#put(left, cut, left, top, layer, delta, reach);
        [end, top] = [left, cut];
      }
    }
    if (x > right || end > right) {
      const cut = Math.min(Math.max(y + (right - x) / slope, y), top);
      if (x > right) [x, y] = [right, cut];
      else [end, top] = [right, cut];
    }
    this.#put(x, y, end, top, layer, delta, reach);
  }

  // The lines of some layers alone.
  of(isOf) {
    const some = new Lines(this.window);
    for (let line = 0; line < this.count; line += 1) {
      if (isOf(this.layer[line])) some.#put(this.x[line], this.y[line], this.end[line], this.top[line], this.layer[line], this.delta[line], this.reach[line]);
    }
    return some;
  }

  #put(x, y, end, top, layer, delta, reach) {
    if (y >= top) return;
    if (this.count === this.size) this.#grow(2 * this.size);
    const at = this.count;
    this.count += 1;
    this.x[at] = x;
    this.y[at] = y;
    this.end[at] = end;
    this.top[at] = top;
    this.slope[at] = (end - x) / (top - y);
    this.reach[at] = reach;
    this.layer[at] = layer;
    this.delta[at] = delta;
  }
}

// ``parts``: what each body is, the lines of which are in layers 2 n and 2 n + 1; INSIDE and NEARER of one arc follow
// each other. Areas are in squares of the picture at a distance of one; ``band`` is by how much one may be off.
export function areasOf(lines, parts) {
  return new Sweep(lines, parts).areas();
}

class Sweep {
  constructor(lines, parts) {
    const { count } = lines;
    this.lines = lines;
    this.parts = parts;
    this.words = Math.ceil(parts.length / 32);
    this.since = new Float64Array(count); // the height from which on a line's integral is not yet counted
    this.others = new Int32Array(count * this.words); // which other bodies cover the places beside a line
    this.left = new Int8Array(count); // whether its own covers those to its left, and to its right
    this.right = new Int8Array(count);
    this.ahead = new Int32Array(2 * count); // how often the layers of its body lie over the places to its left
    this.place = new Int32Array(count).fill(-1);
    this.active = new Int32Array(Math.max(count, 1));
    this.size = 0;
    this.coming = [];
    this.net = new Int32Array(2 * parts.length);
    this.over = new Int32Array(2 * parts.length);
    this.cover = new Int32Array(this.words);
    this.stamps = new Int32Array(parts.length);
    this.stamp = 0;
    this.crossings = new Crossings();
    this.alone = new Float64Array(parts.length);
    this.sums = { whole: 0, obscured: 0, perhaps: 0, within: 0, withinObscured: 0, withinPerhaps: 0, band: 0 };
    this.rim = []; // where the target's silhouette ends: from x, y to x, y
    this.arcs = parts.includes(INSIDE);
    this.masks = [TARGET, BLOCKER, PERHAPS].map((part) => {
      const mask = new Int32Array(this.words);
      for (const [body, own] of parts.entries()) set(mask, 0, body, own === part);
      return mask;
    });
  }

  areas() {
    const { lines, crossings } = this;
    const { y, top } = lines;
    const starts = sortedBy(y, lines.count, lines.window);
    const ends = sortedBy(top, lines.count, lines.window);
    let start = 0;
    let end = 0;
    while (end < ends.length) {
      const level = start < starts.length ? Math.min(y[starts[start]], top[ends[end]]) : top[ends[end]];
      while (crossings.first <= level) this.#crossed();
      const firstEnd = end;
      this.coming.length = 0;
      while (end < ends.length && top[ends[end]] === level) end += 1;
      for (; start < starts.length && y[starts[start]] === level; start += 1) this.coming.push(starts[start]);
      this.#reached(level, ends, firstEnd, end);
    }
    const { sums, alone } = this;
    return { ...sums, alone, rim: this.rim };
  }

  xAt(line, height) {
    const { x, y, end, top, slope } = this.lines;
    return height === top[line] ? end[line] : x[line] + (height - y[line]) * slope[line];
  }

  // Some lines end at a height, and those that are coming begin there.
  #reached(level, ends, first, after) {
    const { active, place, coming } = this;
    const { layer, delta } = this.lines;
    const { net } = this; // of each layer, how much more it counts to the right of all that ends and begins here
    let [low, high] = [Infinity, -1]; // the places between which more than a line's name has changed
    for (let index = first; index < after; index += 1) {
      const line = ends[index];
      const at = place[line];
      this.#counted(line, level);
      const next = this.#following(line, coming);
      if (next < 0) {
        this.size -= 1;
        for (let moved = at; moved < this.size; moved += 1) place[(active[moved] = active[moved + 1])] = moved;
        this.#meet(at - 1, level);
        if (high > at) high -= 1;
        low = Math.min(low, at);
        high = Math.max(high, at - 1);
        net[layer[line]] -= delta[line];
        continue;
      }
      this.#goOn(line, coming[next], level);
      coming[next] = coming[coming.length - 1];
      coming.length -= 1;
      this.#meet(at - 1, level);
      this.#meet(at, level);
    }
    for (const line of coming) {
      const at = this.#enter(line, level);
      if (low >= at && low < Infinity) low += 1;
      if (high >= at) high += 1;
      low = Math.min(low, at);
      high = Math.max(high, at);
      net[layer[line]] += delta[line];
    }
    // A level edge that leaves the window on the right changes all that lies above it.
    if (low === Infinity) return;
    for (let each = 0; each < net.length; each += 1) {
      if (net[each]) high = this.size;
      net[each] = 0;
    }
    high = Math.min(high, this.size - 1);
    if (low <= high) this.#restate(level, low, high);
    for (const line of coming) {
      this.#meet(place[line] - 1, level);
      this.#meet(place[line], level);
    }
  }

  // Which of some lines that begin goes on where another ends; -1 for none.
  #following(line, coming) {
    const { x, end, layer, delta } = this.lines;
    for (let index = 0; index < coming.length; index += 1) {
      const other = coming[index];
      if (x[other] === end[line] && layer[other] === layer[line] && delta[other] === delta[line]) return index;
    }
    return -1;
  }

  #goOn(line, other, level) {
    const { words, others, ahead } = this;
    this.place[other] = this.place[line];
    this.active[this.place[line]] = other;
    this.since[other] = level;
    this.left[other] = this.left[line];
    this.right[other] = this.right[line];
    ahead[2 * other] = ahead[2 * line];
    ahead[2 * other + 1] = ahead[2 * line + 1];
    for (let word = 0; word < words; word += 1) others[other * words + word] = others[line * words + word];
  }

  // The first place at or right of x.
  #placeOf(x, level) {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.xAt(this.active[middle], level) < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #enter(line, level) {
    const { lines, active, place } = this;
    const { slope } = lines;
    let at = this.#placeOf(lines.x[line], level);
    while (at < this.size && this.xAt(active[at], level) === lines.x[line] && slope[active[at]] < slope[line]) at += 1;
    for (let moved = this.size; moved > at; moved -= 1) place[(active[moved] = active[moved - 1])] = moved;
    active[at] = line;
    place[line] = at;
    this.size += 1;
    this.since[line] = level;
    return at;
  }

  // What lies on both sides of the lines from one place to another; what changes is counted as it was until now.
  #restate(level, low, high) {
    const { active, words, others, left, right, ahead, over, cover, lines } = this;
    this.stamp += 1;
    for (let word = 0; word < words; word += 1) cover[word] = low ? others[active[low - 1] * words + word] : 0;
    if (low) set(cover, 0, lines.layer[active[low - 1]] >> 1, right[active[low - 1]]);
    for (let at = low; at <= high; at += 1) {
      const line = active[at];
      const layer = lines.layer[line];
      const body = layer >> 1;
      if (this.stamps[body] !== this.stamp) this.#overAt(low, body);
      const first = over[2 * body];
      const second = over[2 * body + 1];
      const isLeft = first || second ? 1 : 0;
      over[layer] += lines.delta[line];
      const isRight = over[2 * body] || over[2 * body + 1] ? 1 : 0;
      set(cover, 0, body, 0);
      let isSame = left[line] === isLeft && right[line] === isRight;
      for (let k = 0; isSame && k < words; k += 1) isSame = others[line * words + k] === cover[k];
      if (!isSame) {
        this.#counted(line, level);
        left[line] = isLeft;
        right[line] = isRight;
        for (let k = 0; k < words; k += 1) others[line * words + k] = cover[k];
      }
      ahead[2 * line] = first;
      ahead[2 * line + 1] = second;
      set(cover, 0, body, isRight);
    }
  }

  // How often the layers of a body lie over what is to the left of a place: as right of its next line there.
  #overAt(place, body) {
    const { active, ahead, over, lines } = this;
    this.stamps[body] = this.stamp;
    over[2 * body] = over[2 * body + 1] = 0;
    for (let at = place - 1; at >= 0; at -= 1) {
      const line = active[at];
      if (lines.layer[line] >> 1 !== body) continue;
      over[2 * body] = ahead[2 * line];
      over[2 * body + 1] = ahead[2 * line + 1];
      over[lines.layer[line]] += lines.delta[line];
      return;
    }
  }

  // Where two neighbours cross, if they do, is kept for later.
  #meet(at, level) {
    if (at < 0 || at + 1 >= this.size) return;
    const { top } = this.lines;
    const [first, second] = [this.active[at], this.active[at + 1]];
    const end = Math.min(top[first], top[second]);
    const past = this.xAt(first, end) - this.xAt(second, end);
    if (!(past > 0)) return;
    const apart = Math.max(this.xAt(second, level) - this.xAt(first, level), 0);
    this.crossings.add(level + (apart / (apart + past)) * (end - level), first, second);
  }

  #crossed() {
    const { active, place, words, others, left, right, ahead, lines } = this;
    const { level, first, second } = this.crossings.take();
    const at = place[first];
    if (active[at] !== first || at + 1 >= this.size || active[at + 1] !== second) return;
    this.#counted(first, level);
    this.#counted(second, level);
    active[at] = second;
    active[at + 1] = first;
    place[second] = at;
    place[first] = at + 1;
    const [own, other] = [lines.layer[first] >> 1, lines.layer[second] >> 1];
    if (own === other) {
      ahead[2 * second + (lines.layer[first] & 1)] -= lines.delta[first];
      ahead[2 * first + (lines.layer[second] & 1)] += lines.delta[second];
      for (const line of [first, second]) {
        const counts = [ahead[2 * line], ahead[2 * line + 1]];
        left[line] = counts[0] || counts[1] ? 1 : 0;
        counts[lines.layer[line] & 1] += lines.delta[line];
        right[line] = counts[0] || counts[1] ? 1 : 0;
      }
    } else {
      set(others, second * words, own, left[first]);
      set(others, first * words, other, right[second]);
    }
    this.#meet(at - 1, level);
    this.#meet(at, level);
    this.#meet(at + 1, level);
  }

  // A line's integral, up to a height, goes to the areas that it bounds.
  #counted(line, level) {
    const { lines, parts, words, left, right, since, sums } = this;
    const from = since[line];
    since[line] = level;
    if (left[line] === right[line] || level <= from) return;
    const [x, end] = [this.xAt(line, from), this.xAt(line, level)];
    const sign = left[line] ? 1 : -1;
    const area = sign * (0.5 * (x + end) - lines.window.left) * (level - from);
    const body = lines.layer[line] >> 1;
    if (parts[body] !== TARGET && !this.#any(line * words, TARGET)) return;
    this.#added(line, body, true, area);
    this.#added(line, body, false, -area);
    sums.band += 2 * Math.hypot(level - from, end - x) * lines.reach[line];
    if (parts[body] === TARGET) this.rim.push(x, from, end, level);
  }

  // An area beside a line, on the side that its own body covers or on the other, goes to all that it is a part of.
  #added(line, own, isOn, area) {
    const { parts, words, others, sums, alone } = this;
    const covers = (body) => (body === own ? isOn : (others[line * words + (body >> 5)] >> (body & 31)) & 1);
    if (!covers(0)) return;
    sums.whole += area;
    const isObscured = (isOn && parts[own] === BLOCKER) || this.#any(line * words, BLOCKER);
    const isPerhaps = !isObscured && ((isOn && parts[own] === PERHAPS) || this.#any(line * words, PERHAPS));
    if (isObscured) sums.obscured += area;
    if (isPerhaps) sums.perhaps += area;
    let isIn = !this.arcs;
    for (let body = 1; body < parts.length; body += 1) {
      if (!covers(body)) continue;
      alone[body] += area;
      if (parts[body] === INSIDE && !covers(body + 1)) isIn = true;
    }
    if (!isIn) return;
    sums.within += area;
    if (isObscured) sums.withinObscured += area;
    if (isPerhaps) sums.withinPerhaps += area;
  }

  #any(at, which) {
    for (let word = 0; word < this.words; word += 1) if (this.others[at + word] & this.masks[which][word]) return true;
    return false;
  }
}

function set(masks, at, body, isOn) {
  if (isOn) masks[at + (body >> 5)] |= 1 << (body & 31);
  else masks[at + (body >> 5)] &= ~(1 << (body & 31));
}

// The numbers of lines in the order of their values: first by as many equal steps as there are lines, then exactly.
function sortedBy(values, count, { low, high }) {
  const steps = count / (high - low);
  const first = new Uint32Array(count + 2);
  const stepOf = (line) => Math.min(Math.max(Math.floor((values[line] - low) * steps), 0), count);
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

// Pairs of lines by the height at which they cross, the lowest first: a heap.
class Crossings {
  constructor() {
    this.heap = [];
  }

  get first() {
    return this.heap.length ? this.heap[0].level : Infinity;
  }

  add(level, first, second) {
    const { heap } = this;
    let at = heap.push(null) - 1;
    for (let above = (at - 1) >> 1; at > 0 && heap[above].level > level; above = (at - 1) >> 1) {
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = { level, first, second };
  }

  take() {
    const { heap } = this;
    const lowest = heap[0];
    const last = heap.pop();
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && heap[below + 1].level < heap[below].level) below += 1;
      if (heap[below].level >= last.level) break;
      heap[at] = heap[below];
      at = below;
    }
    if (heap.length) heap[at] = last;
    return lowest;
  }
}
