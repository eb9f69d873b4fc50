// A box round a part of a shape: found from a rectangle in the view, and what of the shape lies in it. All in the shape's frame.
const ROOM = 0.05; // mm round what a box is drawn round
const GAP = 3; // mm of depth that part what is in front from what lies behind it
const SHARE = 0.08; // of the shape's height, where that is more

function positionsOf({ counting, ghosts }) {
  return [counting, ghosts].filter(Boolean).map((geometry) => geometry.getAttribute("position").array);
}

// The box round all of a shape.
export function wholeBox(shape) {
  return boxRound(positionsOf(shape).flatMap((array) => Array.from({ length: array.length / 3 }, (_, index) => at(array, index))));
}

function at(array, index) {
  return [array[3 * index], array[3 * index + 1], array[3 * index + 2]];
}

function boxRound(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const point of points) {
    for (let axis = 0; axis < 3; axis += 1) {
      low[axis] = Math.min(low[axis], point[axis]);
      high[axis] = Math.max(high[axis], point[axis]);
    }
  }
  return [low, high];
}

// The box round what of a shape's counting part is seen in a rectangle: what is in front alone, unless it goes through.
// `placed` gives the place of a point in the window, and how far away it is: [x, y, away]. Null where nothing is there.
export function boxSeenIn(shape, placed, [from, to], through) {
  if (!shape.counting) return null;
  const { array, count } = shape.counting.getAttribute("position");
  const found = [];
  for (let index = 0; index < count; index += 1) {
    const point = at(array, index);
    const [x, y, away] = placed(point);
    if ((x - from[0]) * (x - to[0]) <= 0 && (y - from[1]) * (y - to[1]) <= 0) found.push({ point, away });
  }
  if (!found.length) return null;
  const points = (through ? found : inFront(found, shape.height)).map(({ point }) => point);
  const [low, high] = boxRound(points);
  return [low.map((value) => value - ROOM), high.map((value) => value + ROOM)];
}

function inFront(found, height) {
  const gap = Math.max(GAP, SHARE * (height || 0));
  found.sort((one, other) => one.away - other.away);
  const end = found.findIndex(({ away }, index) => index > 0 && away - found[index - 1].away > gap);
  return end < 0 ? found : found.slice(0, end);
}

// The corners of the triangles that count and whose middle lies in a box, and their share of all that count.
export function trianglesIn(shape, [low, high]) {
  const array = shape.counting?.getAttribute("position").array || [];
  const corners = [];
  for (let start = 0; start < array.length; start += 9) {
    const inside = [0, 1, 2].every((axis) => {
      const middle = (array[start + axis] + array[start + 3 + axis] + array[start + 6 + axis]) / 3;
      return middle >= low[axis] && middle <= high[axis];
    });
    if (inside) for (let index = start; index < start + 9; index += 1) corners.push(array[index]);
  }
  return { corners, share: array.length ? corners.length / array.length : 0 };
}

// The twelve edges of a box, as pairs of points.
export function edgesOf([low, high]) {
  const corner = (bits) => [0, 1, 2].map((axis) => ((bits >> axis) & 1 ? high : low)[axis]);
  return Array.from({ length: 8 }, (_, bits) => bits).flatMap((bits) =>
    [1, 2, 4].filter((axis) => !(bits & axis)).map((axis) => [corner(bits), corner(bits | axis)]),
  );
}

// How high and wide a base is whose rim was clicked at a point: up to the upper edge of the rim there.
export function rimAt(shape, [x, y, z]) {
  const radius = Math.hypot(x, y);
  const angle = Math.atan2(y, x);
  let [height, wide] = [z, radius];
  for (const array of positionsOf(shape)) {
    for (let index = 0; index < array.length / 3; index += 1) {
      const [px, py, pz] = at(array, index);
      const away = Math.hypot(px, py);
      const turned = Math.abs(Math.atan2(Math.sin(Math.atan2(py, px) - angle), Math.cos(Math.atan2(py, px) - angle)));
      if (Math.abs(away - radius) > 1.5 || turned > 0.35 || pz > z + 4) continue;
      height = Math.max(height, pz);
      wide = Math.max(wide, away);
    }
  }
  return { height, diameter: 2 * wide };
}
