// Outlines in a plane, [[x, y], ...] each: how far apart they are, and convex ones.

function toSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length ? Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / length, 0), 1) : 0;
  return Math.hypot(ax + along * dx - x, ay + along * dy - y);
}

export function inside([x, y], outline) {
  let within = false;
  for (let index = 0, before = outline.length - 1; index < outline.length; before = index, index += 1) {
    const [[ax, ay], [bx, by]] = [outline[index], outline[before]];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) within = !within;
  }
  return within;
}

function cross([ax, ay], [bx, by], [cx, cy], [dx, dy]) {
  const side = (px, py, qx, qy, rx, ry) => Math.sign((qx - px) * (ry - py) - (qy - py) * (rx - px));
  return (
    side(ax, ay, bx, by, cx, cy) !== side(ax, ay, bx, by, dx, dy) &&
    side(cx, cy, dx, dy, ax, ay) !== side(cx, cy, dx, dy, bx, by)
  );
}

function edgesOf(outline) {
  return outline.map((corner, index) => [corner, outline[(index + 1) % outline.length]]);
}

function boxesMeet(one, other) {
  return [0, 1].every((axis) => {
    const [here, there] = [one, other].map((outline) => outline.map((point) => point[axis]));
    return Math.min(...here) <= Math.max(...there) && Math.min(...there) <= Math.max(...here);
  });
}

// mm between two outlines in plan; 0 where one reaches into the other.
export function between(one, other) {
  const [edges, others] = [edgesOf(one), edgesOf(other)];
  const near = boxesMeet(one, other);
  if (near && (inside(one[0], other) || inside(other[0], one))) return 0;
  if (near && edges.some(([a, b]) => others.some(([c, d]) => cross(a, b, c, d)))) return 0;
  let least = Infinity;
  for (const [start, end] of others) for (const point of one) least = Math.min(least, toSegment(point, start, end));
  for (const [start, end] of edges) for (const point of other) least = Math.min(least, toSegment(point, start, end));
  return least;
}

// The convex outline of points, anticlockwise; of points at one place alone, that.
export function hullOf(points) {
  const sorted = [...points].sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const turns = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0;
  const half = (ordered) => {
    const kept = [];
    for (const point of ordered) {
      while (kept.length > 1 && !turns(kept.at(-2), kept.at(-1), point)) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  const found = [...half(sorted), ...half([...sorted].reverse())];
  return found.length ? found : sorted.slice(0, 1);
}
