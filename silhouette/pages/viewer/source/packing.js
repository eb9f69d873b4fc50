// Unpacks the meshes of a page: see silhouette/drawing/in_3d/stage.py, which packs them.

// All shapes from one text, or from several, each of which has some: their bytes lie one after the other.
export async function unpacked(texts) {
  const streams = [texts].flat().map((text) => {
    const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  });
  return new Uint8Array(await new Blob(await Promise.all(streams)).arrayBuffer());
}

// The bytes of numbers lie apart, the lowest of all first: that packs better.
function numbers(bytes, at, count, width) {
  const found = new Uint32Array(count);
  for (let place = 0; place < width; place += 1) {
    for (let index = 0; index < count; index += 1) found[index] |= bytes[at + place * count + index] << (8 * place);
  }
  return found;
}

// Bytes of a coordinate: two for display, more for a shape by which the page judges.
const placesOf = (shape) => shape.places || 2;

// Of each vertex x, y and z, in an array of some kind.
export function positions(bytes, shape, Kind = Float32Array) {
  const found = new Kind(shape.vertices * 3);
  const places = placesOf(shape);
  const most = 256 ** places - 1;
  for (let axis = 0; axis < 3; axis += 1) {
    const steps = numbers(bytes, shape.at + axis * shape.vertices * places, shape.vertices, places);
    const [low, high] = [shape.low[axis], shape.high[axis]];
    let value = 0;
    for (let index = 0; index < shape.vertices; index += 1) {
      value = (value + steps[index]) & most;
      found[index * 3 + axis] = low + ((high - low) * value) / most;
    }
  }
  return found;
}

// Where the bytes of the positions end, and those of the indices.
const afterPositions = (shape) => shape.at + shape.vertices * 3 * placesOf(shape);
export const afterCorners = (shape) => afterPositions(shape) + shape.faces * 3 * shape.width;

// Each index is written as how far it lies below the next one that was not used yet.
export function corners(bytes, shape) {
  const steps = numbers(bytes, afterPositions(shape), shape.faces * 3, shape.width);
  let next = 0;
  return steps.map((step) => {
    const index = next - step;
    if (step === 0) next += 1;
    return index;
  });
}

// A shape by which the page judges: see judge_necromunda.js.
export function judgedMesh(bytes, shape) {
  return {
    points: positions(bytes, shape, Float64Array),
    corners: corners(bytes, shape),
    ghosts: shape.ghosts,
    moved: shape.moved,
    hull: Float64Array.from(shape.hull.flat()),
  };
}
