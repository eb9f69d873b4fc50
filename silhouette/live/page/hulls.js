// What a shape looks like from above, roughly: the convex outline of its points.
export function hull({ counting, ghosts }) {
  const points = [counting, ghosts].filter(Boolean).flatMap((geometry) => {
    const { array, count } = geometry.getAttribute("position");
    return Array.from({ length: count }, (_, index) => [array[3 * index], array[3 * index + 1]]);
  });
  points.sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const turns = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0;
  const half = (ordered) => {
    const kept = [];
    for (const point of ordered) {
      while (kept.length > 1 && !turns(kept.at(-2), kept.at(-1), point)) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...half(points), ...half(points.reverse())];
}
