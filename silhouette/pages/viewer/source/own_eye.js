// Where a figure's eye may be, estimated from its shape: the steps, and their names, are those of silhouette/models/eyes.py.
import { cubesOf, depths } from "./own_cubes.js";
import { section } from "./own_grid.js";

const BALL_CUBES = 80; // along the longest side, for the balls that may be heads
const LEAST_BALL = 0.18; // of the body's thickness
const LEAST_BALL_CUBES = 1.8;
const APART = 0.7; // of the larger ball's radius
const MOST_BALLS = 48;
const SHELLS = [1.25, 1.6, 2.1, 2.8, 3.8, 5.2, 7]; // radii of spheres round a ball
const SPHERE_POINTS = 160;
const BANDS = [-0.8, -0.3, 0.3, 0.8];
const EYE_LEVEL = 0.9; // of the body's height
const HEAD_FROM = 0.75; // of the body's height
const HEAD_REACH = 0.2; // of the body's height
const FARTHEST_FRONT = 0.5; // of the body's height
const EYE_CUBES = 72; // along the longest side, for its thick parts
const HEAD_BALL = 0.5; // of the trunk's thickness
const CROWN = 0.97; // of the body's height
const EYES_UP = 0.1; // of a ball's radius
const FACE_REACH = 1.7; // of a ball's radius
const ON_FACE = 1.9; // of a ball's radius
const NEARBY = 3; // mm
const SAME_EYE = 0.5; // of a ball's radius
const LEAST_LIKELIHOOD = 0.002;
const UPRIGHT = 4; // of a ball's radius
const MOST_PLACES = 3;
const LEAST_PLACE = 0.08;
const SURE = 0.88;

const turned = (degrees) => {
  const right = ((degrees % 360) + 360) % 360;
  return right % 90 === 0 ? [[1, 0], [0, 1], [-1, 0], [0, -1]][right / 90] : [Math.cos((right * Math.PI) / 180), Math.sin((right * Math.PI) / 180)];
};
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

// The places of the eye of a body, triangles in its model's frame, the likeliest first: [{eye, likelihood}]. ``heads``:
// {weights, none}, of the file beside eyes.py; ``front`` in degrees anticlockwise from +x.
export function eyesOf(body, front, heads) {
  const forward = turned(front);
  const upper = byHeight(body, forward, thickParts(body));
  const balls = ballsIn(body, forward);
  if (!balls?.radii.length) return [{ eye: upper, likelihood: 1 }];
  const likelihoods = likelihoodsOf(balls.features, heads);
  const least = Math.min(LEAST_LIKELIHOOD, Math.max(...likelihoods));
  const likely = likelihoods.map((_, index) => index).filter((index) => likelihoods[index] >= least);
  const [centres, sizes] = [balls.centres, balls.radii].map((values) => likely.map((index) => values[index]));
  let left = likely.map((index) => likelihoods[index]);
  const eyes = centres.map((centre, index) => faceOf(body, centre, sizes[index], forward));
  const near = eyes.map((eye) => eyes.map((other) => distance(eye, other) < NEARBY));
  const sums = () => near.map((row) => row.reduce((sum, isNear, index) => sum + (isNear ? left[index] : 0), 0));
  const places = [];
  while (places.length < MOST_PLACES && (!places.length || Math.max(...sums()) >= LEAST_PLACE)) {
    const all = sums();
    const around = near[all.indexOf(Math.max(...all))].map((isNear, index) => (isNear ? left[index] : 0));
    left = left.map((value, index) => value - around[index]);
    const likelihood = around.reduce((sum, value) => sum + value, 0);
    const best = around.indexOf(Math.max(...around));
    let eye = [0, 1, 2].map((axis) => around.reduce((sum, value, index) => sum + value * eyes[index][axis], 0) / likelihood);
    if (!places.length && isOn(centres[best], sizes[best], eye, upper, body)) eye = upper;
    places.push({ eye, likelihood });
  }
  return places;
}

// Whether an estimate is as good as certain.
export const isSure = ([first]) => first.likelihood >= SURE;

function isOn(centre, radius, face, eye, body) {
  const [low, high] = spanOf(body);
  return high - low >= UPRIGHT * radius && Math.hypot(eye[0] - centre[0], eye[1] - centre[1]) <= ON_FACE * radius && distance(eye, face) < SAME_EYE * radius;
}

function spanOf(body) {
  let [low, high] = [Infinity, -Infinity];
  for (let at = 2; at < body.length; at += 3) [low, high] = [Math.min(low, body[at]), Math.max(high, body[at])];
  return [low, high];
}

// The distances from a point in plan, ahead, of where the section of a body at a height lies.
function ahead(body, level, from, [x, y]) {
  const lines = section(body, level);
  const found = [];
  for (let at = 0; at < lines.length; at += 4) {
    const ends = [0, 2].map((end) => [lines[at + end] - from[0], lines[at + end + 1] - from[1]]);
    const [first, last] = ends.map(([px, py]) => px * x + py * y);
    const [left, right] = ends.map(([px, py]) => px * -y + py * x);
    if (left < 0 === right < 0) continue;
    const reach = first + ((last - first) * left) / (left - right);
    if (reach >= 0) found.push(reach);
  }
  return found;
}

// The eye of a head into which a ball fits: ahead of its middle, on the outermost surface near enough.
function faceOf(body, centre, radius, forward) {
  const level = centre[2] + EYES_UP * radius;
  const reaches = ahead(body, level, centre, forward).filter((reach) => reach <= FACE_REACH * radius && reach >= 0.5 * radius);
  const reach = Math.max(0, ...reaches) || radius;
  return [centre[0] + reach * forward[0], centre[1] + reach * forward[1], level];
}

// The middles of the small cubes that fill the thick parts of a body: [[x, y, z], ...]; none where it has no volume.
function thickParts(body) {
  const solid = cubesOf(body, EYE_CUBES);
  if (!solid) return [];
  const { cubes, shape, low, pitch } = solid;
  const ball = Math.max(HEAD_BALL * depths(cubes, shape, EYE_CUBES / 2).reduce((most, depth) => Math.max(most, depth), 0), 1);
  const reach = Math.trunc(ball) + 2;
  const thin = depths(cubes, shape, reach).map((depth) => Number(depth <= ball));
  const found = [];
  for (const [at, depth] of depths(thin, shape, reach).entries()) {
    if (cubes[at] && depth <= ball) found.push(placeOf(at, shape).map((place, axis) => low[axis] + (place + 0.5) * pitch));
  }
  return found;
}

const placeOf = (at, [, wide, tall]) => [Math.floor(at / (wide * tall)), Math.floor(at / tall) % wide, at % tall];

// The eye at nine tenths of the body's height, on the surface ahead of the middle of head and shoulders.
function byHeight(body, forward, thick) {
  const [low, high] = spanOf(body);
  let crown = high;
  if (thick.length) {
    const levels = [...new Set(thick.map((point) => point[2]))].sort((a, b) => a - b);
    const steps = levels.slice(1).map((level, index) => level - levels[index]);
    crown = Math.min(high, levels[levels.length - 1] + (steps.length ? Math.min(...steps) / 2 : 0));
  }
  const isRaised = thick.length > 0 && crown - low < CROWN * (high - low);
  const height = (isRaised ? crown : high) - low;
  const level = low + EYE_LEVEL * height;
  const from = low + HEAD_FROM * height;
  const axis = isRaised ? mean(thick.filter((point) => point[2] >= from)) : axisOf(body, from);
  const reaches = ahead(body, level, axis, forward);
  const face = reaches.filter((reach) => reach <= HEAD_REACH * height);
  const block = reaches.filter((reach) => reach <= FARTHEST_FRONT * height);
  const most = (values) => values.reduce((best, value) => Math.max(best, value), 0);
  const reach = face.length ? most(face) : block.length ? block.reduce((best, value) => Math.min(best, value), Infinity) : 0;
  return [axis[0] + reach * forward[0], axis[1] + reach * forward[1], level];
}

const mean = (points) => [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);

// The middle in plan, by area, of the faces whose middles are no lower than a height; of all where none is.
function axisOf(body, from) {
  const sums = (isChosen) => {
    const sum = { area: 0, plain: 0, x: 0, y: 0, px: 0, py: 0 };
    for (let at = 0; at < body.length; at += 9) {
      if (!isChosen(at)) continue;
      const [u, v] = [3, 6].map((place) => [0, 1, 2].map((axis) => body[at + place + axis] - body[at + axis]));
      const area = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
      const [x, y] = [0, 1].map((axis) => (body[at + axis] + body[at + 3 + axis] + body[at + 6 + axis]) / 3);
      sum.area += area;
      sum.plain += 1;
      sum.x += area * x;
      sum.y += area * y;
      sum.px += x;
      sum.py += y;
    }
    return sum;
  };
  const upper = sums((at) => body[at + 2] + body[at + 5] + body[at + 8] >= 3 * from);
  const { area, plain, x, y, px, py } = upper.plain ? upper : sums(() => true);
  return area > 0 ? [x / area, y / area] : [px / plain, py / plain];
}

// ---- the balls that fit into a body, of which one may be its head

function ballsIn(body, forward) {
  const solid = cubesOf(body, BALL_CUBES);
  if (!solid) return null;
  const { shape, low, pitch } = solid;
  const depth = depths(solid.cubes, shape, BALL_CUBES);
  const places = peaksOf(depth, shape);
  const radii = places.map((place) => depth[at(place, shape)]);
  return {
    centres: places.map((place) => place.map((value, axis) => low[axis] + (value + 0.5) * pitch)),
    radii: radii.map((radius) => radius * pitch),
    features: featuresOf(depth, shape, places, radii, forward),
  };
}

const at = ([i, j, k], [, wide, tall]) => (i * wide + j) * tall + k;

// The cubes in which the largest balls have their middles, each the deepest of its surroundings at its own height.
function peaksOf(depth, shape) {
  const [long, wide, tall] = shape;
  const least = Math.max(LEAST_BALL_CUBES, LEAST_BALL * depth.reduce((most, value) => Math.max(most, value), 0));
  let peaks = [];
  for (let i = 0; i < long; i += 1) {
    for (let j = 0; j < wide; j += 1) {
      for (let k = 0; k < tall; k += 1) {
        const own = depth[at([i, j, k], shape)];
        if (own < least) continue;
        let isPeak = true;
        for (let x = Math.max(i - 1, 0); x <= Math.min(i + 1, long - 1); x += 1) {
          for (let y = Math.max(j - 1, 0); y <= Math.min(j + 1, wide - 1); y += 1) if (depth[at([x, y, k], shape)] > own) isPeak = false;
        }
        if (isPeak) peaks.push([i, j, k]);
      }
    }
  }
  peaks.sort((a, b) => depth[at(b, shape)] - depth[at(a, shape)]);
  const chosen = [];
  while (peaks.length && chosen.length < MOST_BALLS) {
    const [first] = peaks;
    chosen.push(first);
    peaks = peaks.filter((place) => distance(place, first) >= APART * depth[at(first, shape)]);
  }
  return chosen;
}

// Ten numbers of each ball, their squares, and its surroundings, in units of cubes.
function featuresOf(depth, shape, places, radii, forward) {
  const middle = [0, 0, 0];
  let [solid, low] = [0, Infinity];
  for (const [index, value] of depth.entries()) {
    if (!(value > 0)) continue;
    const place = placeOf(index, shape);
    for (let axis = 0; axis < 3; axis += 1) middle[axis] += place[axis];
    solid += 1;
    low = Math.min(low, place[2]);
  }
  for (let axis = 0; axis < 3; axis += 1) middle[axis] /= solid;
  const edge = Math.cbrt(solid);
  const tops = places.map((place, index) => place[2] + radii[index]);
  const high = Math.max(...tops);
  const order = tops.map((_, index) => index).sort((a, b) => tops[b] - tops[a]);
  const widest = Math.max(...radii);
  return places.map((place, index) => {
    const [x, y, z] = place.map((value, axis) => value - middle[axis]);
    const radius = radii[index];
    const aside = Math.abs(x * -forward[1] + y * forward[0]);
    const own = [
      Math.log(radius / (high - low)), Math.log(radius / edge), Math.log(radius / widest), (tops[index] - low) / (high - low),
      aside / edge, (x * forward[0] + y * forward[1]) / edge, z / edge, order.indexOf(index) / tops.length,
      aside / radius, (high - place[2]) / radius,
    ];
    return [...own, ...own.map((value) => value ** 2), ...surroundings(depth, shape, place, radius, forward)];
  });
}

// How much is solid round a ball, on spheres round it, in regions of these: ahead and behind, then left and right together,
// then how far these differ.
function surroundings(depth, shape, place, radius, forward) {
  const [front, means, differences] = [[], [], []];
  for (const shell of SHELLS) {
    const sums = new Float64Array(SPHERE.regions);
    for (const { x, y, z, region } of SPHERE.points) {
      const way = [x * -forward[1] + y * forward[0], x * forward[0] + y * forward[1], z];
      const there = place.map((value, axis) => even(value + radius * shell * way[axis]));
      const isInside = there.every((value, axis) => value >= 0 && value < shape[axis]);
      if (isInside && depth[at(there, shape)] > 0) sums[region] += 1;
    }
    const shares = sums.map((sum, region) => sum / SPHERE.sizes[region]);
    front.push(...shares.subarray(0, 8));
    for (let ring = 0; ring < 3; ring += 1) {
      means.push((shares[8 + ring] + shares[11 + ring]) / 2);
      differences.push(Math.abs(shares[8 + ring] - shares[11 + ring]));
    }
  }
  return [...front, ...means, ...differences];
}

// To the nearest whole number, halves to the even one.
function even(value) {
  const near = Math.round(value);
  return near - value === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

// Points all over a sphere on a spiral, to the left, ahead and up, each with its region: bottom, top, three rings ahead,
// three behind, three to the left, three to the right.
const SPHERE = (() => {
  const sizes = new Float64Array(14);
  const points = Array.from({ length: SPHERE_POINTS }, (_, number) => {
    const z = 1 - (2 * number + 1) / SPHERE_POINTS;
    const turn = number * Math.PI * (3 - Math.sqrt(5));
    const [x, y] = [Math.sqrt(1 - z ** 2) * Math.cos(turn), Math.sqrt(1 - z ** 2) * Math.sin(turn)];
    const band = BANDS.filter((limit) => z >= limit).length;
    const ring = band - 1;
    const region = band === 0 ? 0 : band === 4 ? 1 : Math.abs(x) > Math.abs(y) ? (x > 0 ? 8 : 11) + ring : (y > 0 ? 2 : 5) + ring;
    sizes[region] += 1;
    return { x, y, z, region };
  });
  return { points, sizes, regions: sizes.length };
})();

// How likely each ball is the head; what they lack to 1 is how likely none is.
function likelihoodsOf(features, { weights, none }) {
  const scores = [...features.map((own) => own.reduce((sum, value, index) => sum + value * weights[index], 0)), none];
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.slice(0, -1).map((value) => value / sum);
}
