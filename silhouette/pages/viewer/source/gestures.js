// Gestures on a table, for reports and for the live table: what is under a pointer, and how far keys move and turn.
import { Plane, Raycaster, Vector2, Vector3 } from "three";

export const INCH = 25.4; // mm
export const TURN = 15; // degrees of a turn

// How far a key moves, mm: half an inch, or a tenth.
export function stepOf(isFine = false) {
  return INCH * (isFine ? 0.1 : 0.5);
}

// Of each arrow the direction of the view, and which way along it.
export const ARROWS = { ArrowLeft: ["right", -1], ArrowRight: ["right", 1], ArrowUp: ["up", 1], ArrowDown: ["up", -1] };

// The directions of the table that are rightmost and upmost in a view, among +x, +y, -x, -y.
export function axesOf({ camera, controls }) {
  const away = controls.target.clone().sub(camera.position);
  const up = Math.abs(away.x) > Math.abs(away.y) ? [Math.sign(away.x), 0] : [0, Math.sign(away.y) || 1];
  return { up, right: [up[1], -up[0]] };
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
