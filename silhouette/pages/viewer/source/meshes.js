// The meshes of a page as three.js takes them.
import { BufferAttribute, BufferGeometry, Color, Matrix4, SRGBColorSpace } from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { afterCorners, corners, positions } from "./packing.js";

const CREASE = 0.7; // radians: sharper edges are not smoothed

// Of each face red, green and blue, from 0 to 63; what WebGL takes is linear light, for each corner.
function colours(bytes, shape) {
  const faces = shape.faces - shape.ghosts;
  const found = new Uint16Array(faces * 9);
  const light = new Color();
  const lights = Uint16Array.from({ length: 64 }, (_, step) => 65535 * light.setRGB(step / 63, 0, 0, SRGBColorSpace).r);
  let at = afterCorners(shape);
  for (let channel = 0; channel < 3; channel += 1) {
    let value = 0;
    for (let face = 0; face < faces; face += 1, at += 1) {
      value = (value + bytes[at]) & 0xff;
      for (let corner = 0; corner < 3; corner += 1) found[face * 9 + corner * 3 + channel] = lights[value];
    }
  }
  return new BufferAttribute(found, 3, true);
}

function geometry(points, indices) {
  const found = new BufferGeometry();
  found.setAttribute("position", new BufferAttribute(points, 3));
  found.setIndex(new BufferAttribute(indices, 1));
  const creased = toCreasedNormals(found, CREASE);
  creased.computeBoundingBox();
  creased.computeBoundingSphere();
  return creased;
}

// What counts, and what is shown pale because it does not: each a geometry, or null where nothing of it is there.
export function shapeOf(bytes, shape) {
  const points = positions(bytes, shape);
  const indices = corners(bytes, shape);
  const counting = indices.subarray(0, (shape.faces - shape.ghosts) * 3);
  const ghosts = indices.subarray(counting.length);
  const shown = counting.length ? geometry(points, counting) : null;
  if (shown && shape.coloured) shown.setAttribute("color", colours(bytes, shape));
  return {
    counting: shown,
    coloured: Boolean(shown && shape.coloured),
    ghosts: ghosts.length ? geometry(points, ghosts) : null,
    flat: shape.flat,
  };
}

export function matrixOf(twelve) {
  return new Matrix4().set(...twelve, 0, 0, 0, 1);
}
