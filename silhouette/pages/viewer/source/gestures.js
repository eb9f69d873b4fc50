// Gestures on a table, for reports and for the live table: what is under a pointer, and how far keys move and turn.
import { Plane, Raycaster, Vector2, Vector3 } from "three";

export const INCH = 25.4; // mm
export const TURN = 15; // degrees of a turn

// How far a key moves, mm: half an inch, or a tenth.
export function stepOf(isFine = false) {
  return INCH * (isFine ? 0.1 : 0.5);
}

// Of each way that a piece is moved the direction of the view, and which way along it.
export const WAYS = { left: ["right", -1], right: ["right", 1], away: ["up", 1], near: ["up", -1] };

// The directions of the table that are rightmost and upmost in a view, among +x, +y, -x, -y.
export function axesOf({ camera, controls }) {
  const away = controls.target.clone().sub(camera.position);
  const up = Math.abs(away.x) > Math.abs(away.y) ? [Math.sign(away.x), 0] : [0, Math.sign(away.y) || 1];
  return { up, right: [up[1], -up[0]] };
}

// How far a press may move and still be a click, px.
const STILL = { mouse: 4, pen: 6, touch: 9 };

export function isStill({ pointerType }, from, x, y) {
  return Math.hypot(x - from[0], y - from[1]) <= (STILL[pointerType] || STILL.mouse);
}

// The direction from one of two fingers to the other, degrees; of places by their pointers.
export function angleOf(pointers) {
  const [[ax, ay], [bx, by]] = [...pointers.values()];
  return (Math.atan2(ay - by, bx - ax) * 180) / Math.PI;
}

// The direction from one place in plan to another, degrees.
export function directionOf([fromX, fromY], [x, y]) {
  return (Math.atan2(y - fromY, x - fromX) * 180) / Math.PI;
}

// Degrees in steps, as fingers turn a piece, unless it is turned freely.
export function inSteps(degrees, isFree) {
  return isFree ? degrees : TURN * Math.round(degrees / TURN);
}

const NOTCH = 60; // of a wheel

// A wheel, or fingers on a pad, that turn a piece: in steps, or with Alt or Shift freely.
export class Wheel {
  constructor() {
    this.left = 0; // of a notch
  }

  // By how many degrees, and whether freely.
  turned({ deltaX, deltaY, altKey, shiftKey }) {
    const isFree = altKey || shiftKey;
    const notch = isFree ? NOTCH / 12 : NOTCH;
    this.left += deltaY || deltaX;
    const steps = Math.trunc(this.left / notch);
    this.left -= steps * notch;
    return [steps && -steps * (isFree ? 1 : TURN), isFree];
  }
}

// A piece that is taken along: it stays as far from the point under a pointer as it was where it was taken up. ``ground``
// gives the point of a level plane under a place of the window, as `Pointer` does; null above the horizon.
export class Grip {
  constructor(ground, from, height, [x, y]) {
    const point = ground(...from, height) || [x, y];
    Object.assign(this, { ground, height, offset: [x - point[0], y - point[1]] });
  }

  // Where it then stands in plan; null where nothing is under the pointer.
  to(x, y) {
    const point = this.ground(x, y, this.height);
    return point && [point[0] + this.offset[0], point[1] + this.offset[1]];
  }
}

// What is under a place of the window, in a view.
export class Pointer {
  constructor(viewer) {
    this.viewer = viewer;
    this.caster = new Raycaster();
  }

  // From the camera through a place.
  at(x, y) {
    const { canvas, camera } = this.viewer;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    this.caster.setFromCamera(new Vector2((2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height), camera);
    return this.caster;
  }

  // The point of a level plane, [x, y, z]; null above the horizon.
  ground(x, y, height) {
    const point = this.at(x, y).ray.intersectPlane(new Plane(new Vector3(0, 0, 1), -height), new Vector3());
    return point && point.toArray();
  }
}
