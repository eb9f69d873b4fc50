// What a visitor takes away: a zip archive of files as they are, and the scene file that names them.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// An archive of [name, bytes], stored and not packed.
export function zipped(files) {
  const [parts, entries] = [[], []];
  let at = 0;
  for (const [name, bytes] of files) {
    const named = new TextEncoder().encode(name);
    // Version 2.0, names in UTF-8, stored, 1 January 1980; checksum and both sizes.
    const header = new DataView(new ArrayBuffer(26));
    header.setUint16(0, 20, true);
    header.setUint16(2, 0x0800, true);
    header.setUint16(8, 0x21, true);
    header.setUint32(10, checksum(bytes), true);
    header.setUint32(14, bytes.length, true);
    header.setUint32(18, bytes.length, true);
    header.setUint16(22, named.length, true);
    const shared = new Uint8Array(header.buffer);
    parts.push(Uint8Array.of(0x50, 0x4b, 3, 4), shared, named, bytes);
    const entry = new DataView(new ArrayBuffer(46 + named.length));
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint16(4, 20, true);
    new Uint8Array(entry.buffer).set(shared, 6);
    entry.setUint32(42, at, true);
    new Uint8Array(entry.buffer).set(named, 46);
    entries.push(new Uint8Array(entry.buffer));
    at += 30 + named.length + bytes.length;
  }
  const size = entries.reduce((sum, entry) => sum + entry.length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, at, true);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}

const quoted = (text) => JSON.stringify(text); // TOML's basic strings have the escapes of JSON's
const short = (value) => String(Math.round(value * 1e6) / 1e6);
const point = (values) => `[${values.map(short).join(", ")}]`;

// The entries of a scene file: of pieces {name, kind, gang, file, units, up, height, diameter, isBaseClear, eye, at, facing}.
export function piecesOf(pieces) {
  const lines = [];
  for (const piece of pieces) {
    lines.push("", `[[${piece.kind}]]`, `name = ${quoted(piece.name)}`);
    if (piece.kind !== "terrain") lines.push(`gang = ${quoted(piece.gang)}`);
    lines.push(`mesh = ${quoted(piece.file)}`, `units = ${quoted(piece.units)}`, `up = ${quoted(piece.up)}`);
    lines.push(`at = ${point(piece.at)}`, `${piece.kind === "terrain" ? "turn" : "facing"} = ${short(piece.facing)}`);
    if (piece.kind === "terrain") continue;
    if (piece.height !== null) lines.push(`base = { height = ${short(piece.height)}${piece.diameter === null ? "" : `, diameter = ${short(piece.diameter)}`} }`);
    else if (piece.isBaseClear) lines.push('base = "none"');
    if (piece.eye) lines.push(`eye = ${point(piece.eye)}`);
  }
  return `${lines.join("\n")}\n`;
}

// The scene file of pieces; checks are pairs of names.
export function sceneOf(pieces, checks, { title, rules }) {
  const lines = [`title = ${quoted(title)}`, `rules = ${quoted(rules)}`, piecesOf(pieces).trimEnd()];
  for (const [attacker, target] of checks) lines.push("", "[[check]]", `attacker = ${quoted(attacker)}`, `target = ${quoted(target)}`);
  return `${lines.join("\n")}\n`;
}
