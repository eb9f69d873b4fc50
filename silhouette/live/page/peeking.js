// What a mesh file seems to be, from its beginning alone: how many triangles it has, or that it is points alone.
export const ENDINGS = [".stl", ".obj", ".ply", ".glb", ".gltf", ".3mf", ".off", ".usdz", ".usd", ".usda", ".usdc"];
const MANY = 100_000; // triangles: more than a single figure is likely to have
const LARGE = 6_000_000; // bytes, where the triangles are not told
const HEAD = 65_536;

// {triangles, points}: null where it is not told; `scan`: whether it is more likely a scan of a table than one piece.
export async function peeked(file) {
  const ending = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
  const found = { triangles: null, points: false };
  try {
    if (ending === ".ply") ply(await file.slice(0, HEAD).text(), found);
    if (ending === ".stl") stl(new DataView(await file.slice(0, 84).arrayBuffer()), file.size, found);
    if (ending === ".glb") await glb(file, found);
  } catch {
    // the server says what is wrong with it
  }
  const many = found.triangles === null ? file.size > LARGE : found.triangles > MANY;
  return { ...found, scan: found.points || many };
}

function ply(head, found) {
  const faces = /element face (\d+)/.exec(head.split("end_header")[0]);
  found.triangles = faces ? Number(faces[1]) : 0;
  found.points = found.triangles === 0 && head.startsWith("ply");
}

function stl(head, size, found) {
  const count = head.getUint32(80, true);
  if (84 + 50 * count === size) found.triangles = count;
}

async function glb(file, found) {
  const length = new DataView(await file.slice(12, 16).arrayBuffer()).getUint32(0, true);
  const tree = JSON.parse(await file.slice(20, 20 + Math.min(length, 8_000_000)).text());
  const parts = tree.meshes.flatMap(({ primitives }) => primitives);
  found.points = parts.every(({ mode }) => mode === 0);
  const corners = parts.map(({ indices, attributes }) => tree.accessors[indices ?? attributes.POSITION].count);
  found.triangles = Math.round(corners.reduce((sum, count) => sum + count, 0) / 3);
}
