// Where a camera stands so that some points fill its picture, seen from a direction.
const FILLED = 0.93; // of the picture
const ROUNDS = 5;

export function framed(points, direction, camera, angle, three) {
  const away = new three.Vector3(...direction).normalize();
  const right = new three.Vector3(0, 0, 1).cross(away).normalize();
  const up = away.clone().cross(right);
  const upright = Math.tan((angle * Math.PI) / 360);
  const across = upright * camera.aspect;
  const low = (axis) => Math.min(...points.map((point) => point[axis]));
  const high = (axis) => Math.max(...points.map((point) => point[axis]));
  const target = new three.Vector3(...[0, 1, 2].map((axis) => (low(axis) + high(axis)) / 2));
  let distance = 2 * Math.hypot(high(0) - low(0), high(1) - low(1), high(2) - low(2));
  const from = new three.Vector3();
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = points.map((point) => {
      from.set(...point).sub(target);
      const depth = Math.max(distance - from.dot(away), 1e-3);
      return [from.dot(right) / depth / across, from.dot(up) / depth / upright];
    });
    const [left, near, wide, far] = [Math.min, Math.max].flatMap((most) => [0, 1].map((axis) => most(...seen.map((one) => one[axis]))));
    target.addScaledVector(right, ((left + wide) / 2) * across * distance);
    target.addScaledVector(up, ((near + far) / 2) * upright * distance);
    distance *= Math.max(wide - left, far - near) / 2 / FILLED;
  }
  return { target, position: target.clone().addScaledVector(away, distance) };
}
