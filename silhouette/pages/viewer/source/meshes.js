// Unpacks the meshes of a page: see silhouette/drawing/in_3d/stage.py, which packs them.
import { BufferAttribute, BufferGeometry, Color, Matrix4, SRGBColorSpace } from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const CREASE = 0.7; // radians: sharper edges are not smoothed

export async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The bytes of numbers lie apart, the lowest of all first: that packs better.
function numbers(bytes, at, count, width) {
  const found = new Uint32Array(count);
  for (let place = 0; place < width; place += 1) {
    for (let index = 0; index < count; index += 1) found[index] |= bytes[at + place * count + index] << (8 * place);
  }
  return found;
}

function positions(bytes, shape) {
  const found = new Float32Array(shape.vertices * 3);
  for (let axis = 0; axis < 3; axis += 1) {
    const steps = numbers(bytes, shape.at + axis * shape.vertices * 2, shape.vertices, 2);
    const [low, high] = [shape.low[axis], shape.high[axis]];
    let value = 0;
    for (let index = 0; index < shape.vertices; index += 1) {
      value = (value + steps[index]) & 0xffff;
      found[index * 3 + axis] = low + ((high - low) * value) / 0xffff;
    }
  }
  return found;
}

// Each index is told as how far it lies below the next one that was not used yet.
function corners(bytes, shape) {
  const steps = numbers(bytes, shape.at + shape.vertices * 6, shape.faces * 3, shape.width);
  let next = 0;
  return steps.map((step) => {
    const index = next - step;
    if (step === 0) next += 1;
    return index;
  });
}

// Of each face red, green and blue, from 0 to 63; what WebGL takes is linear light, for each corner.
function colours(bytes, shape) {
  const faces = shape.faces - shape.ghosts;
  const found = new Uint16Array(faces * 9);
  const light = new Color();
  const lights = Uint16Array.from({ length: 64 }, (_, step) => 65535 * light.setRGB(step / 63, 0, 0, SRGBColorSpace).r);
  let at = shape.at + shape.vertices * 6 + shape.faces * 3 * shape.width;
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
