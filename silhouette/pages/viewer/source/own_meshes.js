// Mesh files of the visitor's: STL, OBJ, GLB and 3MF. What needs more than plain triangles is refused with a sentence:
// silhouette/meshes/formats reads it, this does not.
import REFUSALS from "../../html/assets/refusals.json";
import { filled } from "./verdicts.js";

// What cannot be used, by its name in refusals.json: why not, and what can be done, unless only the desk knows.
export class Refused extends Error {
  constructor(key, values = {}) {
    const parts = Object.values(REFUSALS[key]);
    super(filled(parts.join(": "), values));
    Object.assign(this, { parts, values });
  }

  get isMended() {
    return this.parts.length > 1;
  }

  // A line of a file, or a piece, in the words of a page.
  line(name, { refused, mended, refusals }) {
    const [why, mend] = this.parts.map((text) => filled(refusals[text] || text, this.values));
    return filled(this.isMended ? mended : refused, { name, why, mend });
  }
}

const refuse = (condition, key, values) => {
  if (condition) throw new Refused(key, values);
};

export const MOST_TRIANGLES = 1_000_000;
const MOST_CORNERS = 2_000; // of a polygon with notches

// {points, corners, units, up} of a file: numbers as the file has them, no two points at one place, no face without three.
export async function meshOf(name, bytes) {
  const ending = name.toLowerCase().split(".").pop();
  const reader = { stl, obj, glb, "3mf": threemf }[ending];
  refuse(!reader, "ending");
  const { points, corners, units } = await reader(bytes);
  refuse(!corners.length, "empty");
  refuse(corners.length > 3 * MOST_TRIANGLES, "large");
  refuse(!points.every(Number.isFinite), "numbers");
  refuse(corners.some((corner) => !(corner < points.length / 3)), "lacking");
  return { ...merged(points, corners), units: units || null, up: ending === "glb" ? "y" : "z" };
}

export function merged(points, corners) {
  const numbers = new Map();
  const places = [];
  const number = Uint32Array.from({ length: points.length / 3 }, (_, vertex) => {
    const [x, y, z] = [points[3 * vertex] + 0, points[3 * vertex + 1] + 0, points[3 * vertex + 2] + 0];
    const key = `${x},${y},${z}`;
    const there = numbers.get(key);
    if (there !== undefined) return there;
    numbers.set(key, numbers.size);
    places.push(x, y, z);
    return numbers.size - 1;
  });
  const kept = [];
  for (let at = 0; at < corners.length; at += 3) {
    const [a, b, c] = [number[corners[at]], number[corners[at + 1]], number[corners[at + 2]]];
    if (a !== b && b !== c && c !== a) kept.push(a, b, c);
  }
  return { points: Float64Array.from(places), corners: Uint32Array.from(kept) };
}

const textOf = (bytes) => new TextDecoder().decode(bytes);

// ---- STL

function stl(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length >= 84 ? view.getUint32(80, true) : -1;
  if (bytes.length !== 84 + 50 * count) return stlText(bytes);
  const points = new Float64Array(9 * count);
  for (let facet = 0; facet < count; facet += 1) {
    for (let place = 0; place < 9; place += 1) points[9 * facet + place] = view.getFloat32(84 + 50 * facet + 12 + 4 * place, true);
  }
  return { points, corners: Uint32Array.from({ length: 3 * count }, (_, index) => index) };
}

function stlText(bytes) {
  const text = textOf(bytes);
  refuse(!/^\s*solid\b/i.test(text), "stlLength");
  const points = [...text.matchAll(/^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)\s*$/gim)].flatMap((found) => found.slice(1).map(Number));
  refuse(points.length % 9 !== 0, "stlFacets");
  return { points: Float64Array.from(points), corners: Uint32Array.from({ length: points.length / 3 }, (_, index) => index) };
}

// ---- OBJ

function obj(bytes) {
  const [points, corners] = [[], []];
  for (const line of textOf(bytes).replace(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "v") points.push(...rest.slice(0, 3).map(Number));
    if (word === "v") refuse(rest.length < 3, "objVertex");
    if (["curv", "surf", "cstype"].includes(word)) refuse(true, "objCurves");
    if (word !== "f") continue;
    const own = rest.map((part) => {
      const index = parseInt(part, 10);
      return index < 0 ? points.length / 3 + index : index - 1;
    });
    if (own.length < 4 || isPlain(own, points)) for (let corner = 2; corner < own.length; corner += 1) corners.push(own[0], own[corner - 1], own[corner]);
    else corners.push(...cutEars(own, points));
  }
  refuse(corners.some((corner) => !Number.isInteger(corner) || corner < 0), "lacking");
  return { points: Float64Array.from(points), corners: Uint32Array.from(corners) };
}

// The triangles of a flat polygon with notches, ear by ear: whichever way it is cut, they cover the same.
function cutEars(polygon, points) {
  refuse(polygon.length > MOST_CORNERS || polygon.some((index) => !(index >= 0 && 3 * index < points.length)), "objPolygons");
  const places = polygon.map((index) => points.slice(3 * index, 3 * index + 3));
  const normal = places.reduce((sum, place, index) => plus(sum, cross(minus(place, places[0]), minus(places[(index + 1) % places.length], places[0]))), [0, 0, 0]);
  const length = Math.sqrt(dot(normal, normal));
  const size = Math.max(...places.map((place) => Math.hypot(...minus(place, places[0]))));
  refuse(!(length > 0) || places.some((place) => Math.abs(dot(minus(place, places[0]), normal)) > 1e-9 * size * length), "objPolygons");
  const drop = normal.map(Math.abs).indexOf(Math.max(...normal.map(Math.abs)));
  const [u, v] = [(drop + 1) % 3, (drop + 2) % 3];
  const way = Math.sign(normal[drop]);
  const turn = (a, b, c) => way * ((places[b][u] - places[a][u]) * (places[c][v] - places[a][v]) - (places[b][v] - places[a][v]) * (places[c][u] - places[a][u]));
  const left = polygon.map((_, index) => index);
  refuse(left.some((index) => crossesAny(places, index, turn)), "objPolygons");
  const cut = [];
  while (left.length > 2) {
    const at = left.findIndex((ear, index) => {
      const [before, after] = [left[(index + left.length - 1) % left.length], left[(index + 1) % left.length]];
      const bend = turn(before, ear, after);
      if (bend === 0) return true; // it has no area, and joins a corner in the middle of an edge to that
      return bend > 0 && left.every((other) => [before, ear, after].includes(other) || !(turn(before, ear, other) >= 0 && turn(ear, after, other) >= 0 && turn(after, before, other) >= 0));
    });
    refuse(at < 0, "objPolygons");
    cut.push(left[(at + left.length - 1) % left.length], left[at], left[(at + 1) % left.length]);
    left.splice(at, 1);
  }
  return cut.map((index) => polygon[index]);
}

// Whether the edge from a corner crosses or touches another one that is not next to it.
function crossesAny(places, index, turn) {
  const count = places.length;
  const [a, b] = [index, (index + 1) % count];
  for (let other = index + 2; other < count; other += 1) {
    const [c, d] = [other, (other + 1) % count];
    if (d === a) continue;
    const apart = [0, 1, 2].some((axis) => {
      const [first, second] = [[a, b], [c, d]].map((ends) => ends.map((end) => places[end][axis]));
      return Math.max(...first) < Math.min(...second) || Math.max(...second) < Math.min(...first);
    });
    if (!apart && turn(a, b, c) * turn(a, b, d) <= 0 && turn(c, d, a) * turn(c, d, b) <= 0) return true;
  }
  return false;
}

// Whether a polygon is flat and convex, so that any way to cut it into triangles gives one surface.
function isPlain(polygon, points) {
  const at = (index) => points.slice(3 * polygon[index % polygon.length], 3 * polygon[index % polygon.length] + 3);
  const normals = polygon.map((_, index) => cross(minus(at(index + 1), at(index)), minus(at(index + 2), at(index + 1))));
  const most = normals.reduce((best, normal) => (dot(normal, normal) > dot(best, best) ? normal : best));
  const length = Math.sqrt(dot(most, most));
  if (!(length > 0)) return true;
  const size = Math.max(...polygon.map((_, index) => Math.sqrt(dot(minus(at(index), at(0)), minus(at(index), at(0))))));
  const isFlat = polygon.every((_, index) => Math.abs(dot(minus(at(index), at(0)), most)) <= 1e-9 * size * length);
  return isFlat && normals.every((normal) => dot(normal, most) >= 0) && turnsOnce(polygon.map((_, index) => at(index)), most);
}

function turnsOnce(corners, normal) {
  let whole = 0;
  for (let index = 0; index < corners.length; index += 1) {
    const one = minus(corners[(index + 1) % corners.length], corners[index]);
    const two = minus(corners[(index + 2) % corners.length], corners[(index + 1) % corners.length]);
    whole += Math.atan2(dot(cross(one, two), normal) / Math.sqrt(dot(normal, normal)), dot(one, two));
  }
  return Math.abs(whole - 2 * Math.PI) < 1e-6;
}

const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// ---- GLB

const INDEX_KINDS = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array };
const PLAIN_EXTENSIONS = /^(KHR_materials_|KHR_texture_|EXT_texture_|KHR_lights_)/; // they change no surface

function glb(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  refuse(bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67, "glbStart");
  refuse(view.getUint32(4, true) !== 2, "glbVersion");
  const length = view.getUint32(12, true);
  const document = JSON.parse(textOf(bytes.subarray(20, 20 + length)));
  const binary = bytes.subarray(28 + length);
  const odd = [...(document.extensionsUsed || []), ...(document.extensionsRequired || [])].find((name) => !PLAIN_EXTENSIONS.test(name));
  refuse(/draco/i.test(odd || ""), "glbDraco");
  refuse(/meshopt/i.test(odd || ""), "glbMeshopt");
  refuse(odd, "glbExtension", { name: odd });
  refuse((document.buffers || []).some(({ uri }) => uri !== undefined), "glbFiles");
  const [points, corners] = [[], []];
  const visited = new Set();
  const walk = (number, above) => {
    refuse(visited.has(number), "glbNodes");
    visited.add(number);
    const node = document.nodes[number];
    const matrix = times(above, matrixOf(node));
    refuse(node.skin !== undefined, "glbSkeleton");
    for (const primitive of node.mesh === undefined ? [] : document.meshes[node.mesh].primitives) {
      if ((primitive.mode ?? 4) < 4) continue; // points and lines
      refuse((primitive.mode ?? 4) !== 4, "glbStrips");
      refuse(primitive.targets?.length, "glbShapeKeys");
      const first = points.length / 3;
      const own = accessor(document, binary, primitive.attributes.POSITION);
      for (let at = 0; at < own.length; at += 3) points.push(...placed(matrix, own[at], own[at + 1], own[at + 2]));
      const indices = primitive.indices === undefined ? own.map((_, index) => index).subarray(0, own.length / 3) : accessor(document, binary, primitive.indices);
      for (const index of indices) corners.push(first + index);
    }
    for (const child of node.children || []) walk(child, matrix);
  };
  const scene = (document.scenes || [])[document.scene ?? 0];
  refuse(!scene, "glbScene");
  for (const number of scene.nodes || []) walk(number, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  return { points: Float64Array.from(points), corners: Uint32Array.from(corners), units: "m" };
}

function accessor(document, binary, number) {
  const { bufferView, byteOffset = 0, componentType, count, type, sparse } = document.accessors[number];
  refuse(sparse || bufferView === undefined, "glbSparse");
  const { byteOffset: start = 0, byteStride } = document.bufferViews[bufferView];
  const isPlace = type === "VEC3" && componentType === 5126;
  refuse(!isPlace && !(type === "SCALAR" && INDEX_KINDS[componentType]), "glbAccessors");
  const size = isPlace ? 12 : INDEX_KINDS[componentType].BYTES_PER_ELEMENT;
  const view = new DataView(binary.buffer, binary.byteOffset + start + byteOffset);
  const stride = byteStride || size;
  const read = { 1: (at) => view.getUint8(at), 2: (at) => view.getUint16(at, true), 4: (at) => view.getUint32(at, true) }[size];
  if (!isPlace) return Float64Array.from({ length: count }, (_, index) => read(index * stride));
  return Float64Array.from({ length: 3 * count }, (_, index) => view.getFloat32(Math.floor(index / 3) * stride + 4 * (index % 3), true));
}

// Matrices of 16 numbers, column by column, as glTF has them.
function matrixOf({ matrix, translation = [0, 0, 0], rotation = [0, 0, 0, 1], scale = [1, 1, 1] }) {
  if (matrix) return matrix;
  const length = Math.hypot(...rotation) || 1;
  const [x, y, z, w] = rotation.map((value) => value / length);
  const turned = [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
  return [...turned.flatMap((column, axis) => [...column.map((value) => value * scale[axis]), 0]), ...translation, 1];
}

function times(a, b) {
  return Array.from({ length: 16 }, (_, at) => [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + (at % 4)] * b[4 * Math.floor(at / 4) + k], 0));
}

const placed = (m, x, y, z) => [0, 1, 2].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);

// ---- 3MF

const UNITS_OF_3MF = { millimeter: "mm", centimeter: "cm", meter: "m", inch: "inch" };

const BODY = new Set(["", "0", "modelpart", "normalpart", "model", "normal"]); // what slicers call a volume that is printed
const VOLUME_KEYS = new Set(["volumetype", "parttype", "subtype"]);
const CURA_KEYS = new Set(["supportmesh", "antioverhangmesh", "cuttingmesh", "infillmesh"]);
const plain = (word) => (word || "").toLowerCase().replace(/[^a-z0-9]/g, "");
const isTrue = (word) => ["1", "true", "yes", "on"].includes(plain(word));
const every = (parent, name) => [...parent.getElementsByTagName("*")].filter((node) => node.localName === name);
const attributeOf = (node, name) => [...node.attributes].find((attribute) => attribute.localName === name)?.value;

function treeOf(bytes) {
  const tree = new DOMParser().parseFromString(textOf(bytes), "application/xml");
  refuse(every(tree, "parsererror").length > 0, "3mfXml");
  return tree;
}

async function threemf(bytes) {
  const files = new Map([...(await unzipped(bytes))].map(([name, data]) => [name.replace(/^\//, "").toLowerCase(), data]));
  for (const [name, data] of files) if (/^metadata\/[^/]*model[^/]*\.config$/.test(name)) refuseVolumes(textOf(data));
  const roots = files.has("_rels/.rels") ? every(treeOf(files.get("_rels/.rels")), "Relationship").filter((node) => (node.getAttribute("Type") || "").endsWith("/3dmodel")) : [];
  const pathOf = (path) => path.replace(/^\//, "").toLowerCase();
  const root = roots.length ? pathOf(roots[0].getAttribute("Target") || "") : "3d/3dmodel.model";
  const models = new Map();
  const modelAt = (path) => {
    if (models.has(path)) return models.get(path);
    refuse(!files.has(path), "3mfModel");
    const top = treeOf(files.get(path)).documentElement;
    refuse(top.localName !== "model", "3mfXml");
    for (const node of every(top, "metadata")) refuse(CURA_KEYS.has(plain((node.getAttribute("name") || "").split(":").pop())) && isTrue(node.textContent), "3mfBody");
    for (const name of ["beamlattice", "slicestack", "booleans", "displacementmesh", "volumetric"]) refuse(every(top, name).length > 0, "3mfPlain");
    models.set(path, { top, objects: new Map(every(top, "object").map((node) => [node.getAttribute("id"), node])) });
    return models.get(path);
  };
  const { top } = modelAt(root);
  const units = UNITS_OF_3MF[top.getAttribute("unit") || "millimeter"];
  refuse(!units, "3mfUnit");
  const [points, corners] = [[], []];
  const put = (path, place, matrices) => {
    const node = modelAt(path).objects.get(place.getAttribute("objectid"));
    refuse(!node || matrices.length > 16, "3mfModel");
    refuse((node.getAttribute("type") || "model") !== "model", "3mfKind");
    for (const part of every(node, "component")) put(attributeOf(part, "path") ? pathOf(attributeOf(part, "path")) : path, part, [transform(part), ...matrices]);
    const first = points.length / 3;
    for (const vertex of every(node, "vertex")) {
      const at = ["x", "y", "z"].map((name) => Number(vertex.getAttribute(name)));
      for (const value of matrices.reduce((by, m) => [0, 1, 2].map((column) => by[0] * m[column] + by[1] * m[3 + column] + by[2] * m[6 + column] + m[9 + column]), at)) points.push(value);
    }
    for (const face of every(node, "triangle")) for (const name of ["v1", "v2", "v3"]) corners.push(first + Number(face.getAttribute(name)));
  };
  for (const item of every(top, "item")) {
    refuse(attributeOf(item, "printable") === "0", "3mfPrinted");
    put(attributeOf(item, "path") ? pathOf(attributeOf(item, "path")) : root, item, [transform(item)]);
  }
  return { points: Float64Array.from(points), corners: Uint32Array.from(corners), units };
}

// What a slicer says of volumes, in its own file: any that is no body is left to the desk. PrusaSlicer's file has a prefix
// that it does not declare, so that it is no XML for a browser.
function refuseVolumes(text) {
  const valuesOf = (tag) => Object.fromEntries([...tag.matchAll(/([\w:.-]+)\s*=\s*("([^"]*)"|'([^']*)')/g)].map((found) => [plain(found[1].split(":").pop()), found[3] ?? found[4]]));
  for (const [tag] of text.matchAll(/<(volume|part|metadata)\b[^>]*>/gi)) {
    const values = valuesOf(tag);
    for (const key of VOLUME_KEYS) refuse(key in values && !BODY.has(plain(values[key])), "3mfBody");
    const key = plain(values.key);
    refuse(VOLUME_KEYS.has(key) && !BODY.has(plain(values.value)), "3mfBody");
    refuse(key === "modifier" && isTrue(values.value), "3mfBody");
  }
}

function transform(node) {
  const numbers = (node.getAttribute("transform") || "1 0 0 0 1 0 0 0 1 0 0 0").trim().split(/\s+/).map(Number);
  refuse(numbers.length !== 12, "3mfTransform");
  return numbers;
}

// The files of a zip archive, by their names.
async function unzipped(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  refuse(end < 0, "3mfZip");
  const files = new Map();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    refuse(view.getUint32(at, true) !== 0x02014b50, "3mfDamaged");
    const [method, packed] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [named, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const name = textOf(bytes.subarray(at + 46, at + 46 + named));
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const data = bytes.subarray(start, start + packed);
    refuse(method !== 0 && method !== 8, "3mfPacking");
    if (!name.endsWith("/")) files.set(name, method ? await inflated(data) : data);
    at += 46 + named + extra + comment;
  }
  return files;
}

async function inflated(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
