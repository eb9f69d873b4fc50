// Shapes from above: their points, their triangles, and the few points that outlines rest on.
const DIRECTIONS = 300;
const MOST = 4000; // triangles of one piece that a plan draws

const geometriesOf = ({ counting, ghosts }) => [counting, ghosts].filter(Boolean).map((geometry) => geometry.getAttribute("position"));

export const inPlan = (shape) =>
  geometriesOf(shape).flatMap(({ array, count }) => Array.from({ length: count }, (_, index) => [array[3 * index], array[3 * index + 1]]));

// The triangles of a shape from above, all anticlockwise, without those that stand upright; null where they are too many
// for a plan, which then shows the convex outline.
export function trianglesInPlan(shape) {
  const points = inPlan(shape);
  if (points.length > 3 * MOST) return null;
  const found = [];
  for (let index = 0; index < points.length; index += 3) {
    const [a, b, c] = points.slice(index, index + 3);
    const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (Math.abs(area) > 1e-6) found.push(area > 0 ? [a, b, c] : [a, c, b]);
  }
  return found;
}

// The points of a shape that lie farthest in directions all round it, which a spiral over a ball gives.
export function outermost(shape) {
  const found = new Map();
  for (let number = 0; number < DIRECTIONS; number += 1) {
    const up = 1 - (2 * number + 1) / DIRECTIONS;
    const [level, angle] = [Math.sqrt(1 - up * up), number * Math.PI * (3 - Math.sqrt(5))];
    const [along, across] = [level * Math.cos(angle), level * Math.sin(angle)];
    let [far, at] = [-Infinity, null];
    for (const { array } of geometriesOf(shape)) {
      for (let index = 0; index < array.length; index += 3) {
        const reach = array[index] * along + array[index + 1] * across + array[index + 2] * up;
        if (reach > far) [far, at] = [reach, [array[index], array[index + 1], array[index + 2]]];
      }
    }
    if (at) found.set(String(at), at);
  }
  return [...found.values()];
}
