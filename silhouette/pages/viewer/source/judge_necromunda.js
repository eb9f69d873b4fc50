// Necromunda's question on a table: can he see me, and am I in cover? The rules' numbers, and the steps, are those of
// silhouette/rules/necromunda/judge.py.
import { Faces } from "./judge_faces.js";
import { Doubt, occlusionOf, spanOf } from "./judge_occlusion.js";
import { between, hullOf } from "./outlines.js";

export const VERDICTS = ["open", "partial cover", "full cover", "hidden"];
export const TOO_CLOSE = "too close to call";
export const ASK = "ask the desk";

const CONTACT_GAP = 1 + 1e-6; // mm: the widest gap in plan across which two bases touch
const ROUNDED = 1e-6; // mm: what decides by less is asked of the desk
const NOTHING = 1e-9; // of a target: what a sum of areas leaves by rounding

// How a piece stands: its pose where the page found it, moved and turned about the upright.
export class Piece {
  constructor(entry) {
    Object.assign(this, entry); // name, kind, gang, shape, pose, looks, elsewhere, base, asks, unsure, stands
    const { core, radius } = this.base;
    const middle = [0, 1].map((axis) => core.reduce((sum, point) => sum + point[axis], 0) / core.length);
    Object.assign(this.base, { middle, reach: radius + Math.max(...core.map((point) => between([point], [middle]))) });
    this.reset();
  }

  reset() {
    this.place([this.pose[3], this.pose[7], this.pose[11]], 0);
  }

  get isMoved() {
    return this.turn !== 0 || this.at.some((value, axis) => value !== this.pose[4 * axis + 3]);
  }

  // At a point, mm, turned by degrees against how it stood.
  place(at, turn) {
    if (this.turn === turn && at.every((value, axis) => value === this.at[axis])) return;
    this.at = at;
    this.turn = turn;
    const angle = (turn * Math.PI) / 180;
    this.way = turn ? [Math.cos(angle), Math.sin(angle)] : [1, 0];
    const columns = [0, 1, 2].map((column) => [...this.turned([this.pose[column], this.pose[4 + column]]), this.pose[8 + column]]);
    this.now = [0, 1, 2].flatMap((row) => [...columns.map((column) => column[row]), at[row]]);
  }

  // A direction in plan, and a point of the world, where it goes with the piece.
  turned([x, y]) {
    const [cosine, sine] = this.way;
    return [cosine * x - sine * y, sine * x + cosine * y];
  }

  carried(point) {
    const [x, y] = this.turned([point[0] - this.pose[3], point[1] - this.pose[7]]);
    const there = [x + this.at[0], y + this.at[1]];
    return point.length === 2 ? there : [...there, point[2] - this.pose[11] + this.at[2]];
  }
}

// A mesh as tables have it: {points, corners, ghosts, moved, hull}, the faces that do not count last; in the hull lie
// those that count.
export function shapeOf({ points, corners, ghosts, moved, hull }) {
  const counting = corners.subarray(0, corners.length - 3 * ghosts);
  const used = Uint32Array.from(new Set(counting), (vertex) => 3 * vertex);
  return { points, corners, used, counting: new Faces(points, counting, moved, hull), whole: () => new Faces(points, corners, moved) };
}

export class Table {
  // ``play``: what the page says of the rules and the pieces; ``shapes``: by the names that pieces have them, of `shapeOf`.
  constructor(play, shapes) {
    this.play = play;
    this.pieces = play.pieces.map((entry) => new Piece(entry));
    this.shapes = shapes;
  }

  piece(name) {
    return this.pieces.find((piece) => piece.name === name);
  }

  // What `silhouette check` would say of a check, or that it is too close to call, or that the desk must be asked:
  // {word, could, share, bound, seen, inArc, blockers: [{name, share}], why}. Where a brief answer is wanted, its word is
  // what counts: the share of what is out of arc is NaN, and nothing is in the way where that is not counted for the word.
  judge(attackerName, targetName, isBrief = false) {
    this.isBrief = isBrief;
    const [attacker, target] = [this.piece(attackerName), this.piece(targetName)];
    try {
      if (this.pieces.some((piece) => piece.stands && piece.isMoved && !this.#isOnTop(piece))) throw new Doubt("stands");
      const asks = this.play.asks || attacker.unsure || attacker.asks || target.asks;
      if (asks) throw new Doubt(asks);
      return this.#wherever(attacker, target, this.#best(attacker, target));
    } catch (error) {
      if (!(error instanceof Doubt)) throw error;
      return { word: ASK, could: [], why: error.message, blockers: [] };
    }
  }

  // What the best of an attacker's looks says, its eyes elsewhere by ``shift``, in the world as it stood.
  #best(attacker, target, shift = [0, 0, 0]) {
    const each = attacker.looks.map((look) => this.#look(attacker, target, { ...look, eye: look.eye.map((value, axis) => value + shift[axis]) }));
    const doubtful = each.find((answer) => answer.word === ASK);
    if (doubtful) return doubtful;
    const order = (answer) => VERDICTS.indexOf(answer.verdict) + (answer.inArc ? 0 : 0.5);
    return each.reduce((best, other) => (order(other) < order(best) || (order(other) === order(best) && other.share < best.share) ? other : best));
  }

  // An answer, where it is the same wherever an estimated eye is; else the desk says how likely each verdict is.
  #wherever(attacker, target, answer) {
    if (answer.word === ASK) return answer;
    for (const shift of attacker.elsewhere || []) {
      const other = this.#best(attacker, target, shift);
      if (other.word !== answer.word || other.could.some((word) => !answer.could.includes(word))) throw new Doubt("eye");
    }
    return answer;
  }

  // Whether what the desk lowers onto whatever is there surely stays on the table's top, where it stood: no triangle of
  // terrain comes near its base in plan. What stands on a piece by name is left to the desk.
  #isOnTop(piece) {
    const { at, pose, base, stands } = piece;
    if (stands !== "surface" || at[2] !== pose[11] || Math.abs(base.span[0]) > ROUNDED) return false;
    const core = base.core.map((point) => piece.carried(point));
    const ends = [0, 1].flatMap((axis) => spanOf(core, axis).map((end, isHigh) => end + (isHigh ? base.radius : -base.radius)));
    return !this.pieces.some((other) => other.kind === "terrain" && this.#comesInto(other, ends));
  }

  // Whether a triangle of a piece comes into a rectangle in plan: [left, right, near, far].
  #comesInto({ shape, now: m }, [left, right, near, far]) {
    const { points, corners } = this.shapes.get(shape);
    const sides = new Uint8Array(points.length / 3);
    for (let vertex = 0, at = 0; vertex < sides.length; vertex += 1, at += 3) {
      const x = m[0] * points[at] + m[1] * points[at + 1] + m[2] * points[at + 2] + m[3];
      const y = m[4] * points[at] + m[5] * points[at + 1] + m[6] * points[at + 2] + m[7];
      sides[vertex] = (x < left ? 1 : 0) | (x > right ? 2 : 0) | (y < near ? 4 : 0) | (y > far ? 8 : 0);
    }
    for (let at = 0; at < corners.length; at += 3) if (!(sides[corners[at]] & sides[corners[at + 1]] & sides[corners[at + 2]])) return true;
    return false;
  }

  #look(attacker, target, look) {
    const { readings } = this.play;
    const friends = this.pieces.filter((piece) => piece !== target && this.#isFriend(attacker, piece));
    const cover = this.#measured(attacker, target, look, friends);
    const block = friends.length && readings.friends === "block sight";
    const sight = block ? this.#measured(attacker, target, look, []) : cover;
    return ruled(cover, sight, look, readings.share === "in arc", this.play.tolerance);
  }

  #isFriend(attacker, piece) {
    if (piece === attacker || piece.kind !== "fighter" || piece.gang === null || piece.gang !== attacker.gang) return false;
    const { contacts } = this.play;
    if (contacts) return contacts.some((pair) => pair.includes(piece.name) && pair.includes(attacker.name));
    const [low, high] = [attacker, piece].map(({ base, pose, at }) => base.span.map((z) => z - pose[11] + at[2]));
    if (Math.max(low[0], high[0]) > Math.min(low[1], high[1]) + ROUNDED) return false;
    const middles = [attacker, piece].map((model) => model.carried(model.base.middle));
    if (between(...middles.map((point) => [point])) > attacker.base.reach + piece.base.reach + 2 * CONTACT_GAP) return false;
    const cores = [attacker, piece].map((model) => model.base.core.map((point) => model.carried(point)));
    const gap = between(...cores) - attacker.base.radius - piece.base.radius;
    if (Math.abs(gap - CONTACT_GAP) < ROUNDED) throw new Doubt("contact");
    return gap <= CONTACT_GAP;
  }

  #measured(attacker, target, look, friends) {
    const isWhole = this.play.readings.ignoredPartsBlock;
    const absent = new Set([attacker, target, ...friends]);
    const blockers = this.pieces.filter((piece) => !absent.has(piece));
    const areas = occlusionOf({
      eye: attacker.carried(look.eye),
      facing: look.facing + attacker.turn,
      arcs: look.arcs && look.arcs.map((arc) => ({ apex: attacker.carried(arc.apex), right: attacker.turned(arc.right), left: attacker.turned(arc.left) })),
      target: { mesh: this.#meshOf(target), pose: target.now, aim: this.#middleOf(target) },
      blockers: blockers.map((piece) => ({ mesh: this.#meshOf(piece, isWhole), pose: piece.now })),
      isBrief: this.isBrief,
    });
    areas.by = [];
    for (const [number, piece] of blockers.entries()) {
      if (!(areas.shares[number] > NOTHING)) continue;
      if (piece.asks) throw new Doubt(piece.asks);
      areas.by.push({ name: piece.name, share: Math.min(areas.shares[number], 1) });
    }
    areas.by.sort((a, b) => b.share - a.share);
    return areas;
  }

  #meshOf(piece, isWhole = false) {
    const shape = this.shapes.get(piece.shape);
    if (!isWhole) return shape.counting;
    shape.all ??= shape.whole();
    return shape.all;
  }

  // The middle of the box round what counts of a piece, along the world's axes.
  #middleOf(piece) {
    piece.rim ??= rimOf(this.shapes.get(piece.shape), piece.pose);
    const rim = piece.rim.map((point) => piece.carried(point));
    return [0, 1, 2].map((axis) => spanOf(rim, axis).reduce((low, high) => (low + high) / 2));
  }
}

// The outermost points of what counts of a mesh, in plan, and its lowest and its highest.
function rimOf({ points, used }, m) {
  const placed = Array.from(used, (at) => [0, 4, 8].map((row) => m[row] * points[at] + m[row + 1] * points[at + 1] + m[row + 2] * points[at + 2] + m[row + 3]));
  return [...hullOf(placed), ...[-1, 1].map((sign) => placed.reduce((most, point) => (sign * point[2] > sign * most[2] ? point : most)))];
}

// What counts of a sight, where ``more`` is how much of what may be before the target is: 0 none, 1 all.
function partsOf(areas, more) {
  // What differs from nothing, or from all, by rounding alone is that.
  const share = (value, of, all) => (value <= NOTHING * of ? 0 : value >= (1 - NOTHING) * of ? all : value / areas.whole);
  const inArc = share(areas.within, areas.whole, 1);
  const hidden = share(areas.withinObscured + more * areas.withinPerhaps, areas.within, inArc);
  return { inArc, hidden, seen: inArc - hidden, obscured: share(areas.obscured + more * areas.perhaps, areas.whole, 1) };
}

// The first test of the rules that holds (R6 to R8, R13 to R15).
function ladder(seen, share) {
  if (!seen) return VERDICTS[3];
  if (!share) return VERDICTS[0];
  return share < 0.5 ? VERDICTS[1] : VERDICTS[2];
}

// The verdicts that hold within a band round the share that is seen, and that which is obscured (R20).
function possible(seen, share, band) {
  const words = new Set([ladder(seen, share)]);
  if (seen && seen <= band) words.add(VERDICTS[3]);
  if (!seen || !share) return words;
  if (share <= band) words.add(VERDICTS[0]);
  if (share - band < 0.5) words.add(VERDICTS[1]);
  if (share + band >= 0.5) words.add(VERDICTS[2]);
  return words;
}

// The verdict, by what was measured for cover and for line of sight. Where it is not the same whatever of what is
// unclear is before the target, and however the bound is taken, the desk is asked.
function ruled(cover, sight, look, isInArc, tolerance) {
  const isBlind = look.arcs?.length === 0 || !cover.whole;
  const bound = cover.whole ? cover.band / cover.whole : 1;
  const ends = [0, 1].map((more) => {
    const [of, by] = [partsOf(cover, more), partsOf(sight, more)];
    const share = isInArc ? (of.inArc ? of.hidden / of.inArc : 0) : of.obscured;
    return { ...by, share, bound: isInArc && of.inArc ? bound / of.inArc : bound };
  });
  const sets = ends.flatMap(({ seen, share, bound: own }) =>
    [-1, 1].map((sign) => (isBlind ? new Set(["hidden"]) : possible(seen, share, Math.max(tolerance, own) + sign * own))),
  );
  const could = VERDICTS.filter((verdict) => sets.some((words) => words.has(verdict)));
  const isSame = sets.every((words) => words.size === could.length);
  const [few, many] = ends;
  const verdict = isBlind ? "hidden" : ladder(few.seen, few.share);
  return {
    word: could.length > 1 ? (isSame ? TOO_CLOSE : ASK) : cover.touches && verdict === VERDICTS[0] ? ASK : verdict,
    verdict,
    could,
    share: (few.share + many.share) / 2,
    bound: few.bound + (many.share - few.share) / 2,
    seen: few.seen,
    inArc: few.inArc,
    blockers: cover.by,
    why: could.length > 1 ? (isSame ? "close" : "order") : cover.touches ? "touching" : "",
  };
}
