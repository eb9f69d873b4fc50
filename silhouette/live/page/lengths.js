// Lengths on the table: inches, and how far apart bases are.
export const INCH = 25.4;

export function inches(mm, digits = 1) {
  return `${(mm / INCH).toFixed(digits)}″`;
}

// A length in inches where the scene's unit, so many mm, is an inch, else in mm; with more decimals where it is small.
export function lengthIn(unit, mm) {
  const inch = unit === INCH;
  const value = inch ? mm / INCH : mm;
  const small = inch ? 0.01 : 0.1;
  const text = value && value < small ? value.toPrecision(1) : value.toFixed(inch && value < 1 ? 2 : 1);
  return `${text}${inch ? "″" : "\u00a0mm"}`;
}

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

export function turnedAbout([x, y], [cx, cy], degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return [cx + cosine * (x - cx) - sine * (y - cy), cy + sine * (x - cx) + cosine * (y - cy)];
}

// An angle in degrees from 0 up to 360, without the noise of floating point.
export function wrapped(degrees) {
  const value = Math.round((((degrees % 360) + 360) % 360) * 1000) / 1000;
  return value === 360 ? 0 : value;
}
