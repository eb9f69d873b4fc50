// The marks on the table: rings, sight lines, arcs, ruler, move limit. Points in mm; widths in pixels.
import { ARC, LINES, sightOf } from "./verdicts.js";

const { lookOf, ringOf } = window.silhouetteViewer;

const OVER = 0.6; // mm above the surface
const CORNERS = 96;

export function marksOf(table, sights, tools, size) {
  const marks = { lines: [], areas: [] };
  const selected = table.selected && table.shown(table.piece(table.selected));
  if (!tools.close) for (const piece of table.models) banded(marks, table, piece, size);
  if (tools.hover && tools.hover !== table.selected) ringed(marks, table, tools.hover, "soft-ink", 1.5);
  for (const name of table.chosen || []) if (name !== table.selected) ringed(marks, table, name, "ink", 2);
  if (tools.close && selected) {
    ringed(marks, table, table.selected, "blue", 2);
    placed(marks, selected.eye, "blue", size / 4);
    boxed(marks, tools.box || []);
  } else if (selected) {
    limited(marks, table, tools.limit, selected);
    ringed(marks, table, table.selected, "blue", 3);
    const outline = table.shapes.outline(selected);
    if (outline.length) marks.areas.push({ outline, height: selected.at[2] + OVER, colour: "blue", opacity: 0.22 });
    looking(marks, table, selected, size);
    sighted(marks, table, size);
  }
  for (const points of (!tools.close && sights.view?.edges) || []) {
    marks.lines.push({ points, ...ARC, over: false });
  }
  const { ruler } = tools;
  if (ruler.to) ruled(marks, ruler, size);
  else if (ruler.from) placed(marks, ruler.from, "ink", size / 2);
  if (ruler.cursor && ruler.cursor !== ruler.to && !ruler.open) placed(marks, ruler.cursor, "ink", size);
  if (tools.shelf) shelved(marks, tools.shelf);
  if (tools.asked) placed(marks, tools.asked, "orange", 2 * size);
  for (const { at, level } of tools.nearest || []) placed(marks, at, LINES[level].colour, size);
  return marks;
}

function ringed(marks, table, name, colour, width) {
  const piece = table.piece(name);
  if (!piece) return;
  const shown = table.shown(piece);
  const points = table.shapes.outline(shown).map(([x, y]) => [x, y, shown.at[2] + OVER]);
  if (points.length) marks.lines.push({ points: [...points, points[0]], colour, width, dash: null, over: true });
}

function banded(marks, table, piece, size) {
  const look = lookOf(table.models, piece.gang);
  const shown = table.shown(piece);
  const core = look ? table.shapes.outline(shown) : [];
  if (core.length) marks.lines.push(...ringOf(look, { core, height: shown.at[2] }, size));
}

// A wedge before the rim of the base: where it faces.
function looking(marks, table, piece, size) {
  const outline = table.shapes.outline(piece);
  if (piece.facing === null || !outline.length) return;
  const [x, y, z] = middle(table, piece);
  const angle = (piece.facing * Math.PI) / 180;
  const [ahead, aside] = [[Math.cos(angle), Math.sin(angle)], [-Math.sin(angle), Math.cos(angle)]];
  const rim = Math.max(...outline.map(([px, py]) => (px - x) * ahead[0] + (py - y) * ahead[1]));
  const at = (far, left) => [x + far * ahead[0] + left * aside[0], y + far * ahead[1] + left * aside[1], z + OVER];
  const step = size / 40;
  const points = [at(rim + 0.5 * step, step), at(rim + 1.5 * step, 0), at(rim + 0.5 * step, -step)];
  marks.lines.push({ points, colour: "blue", width: 3, dash: null, over: true });
}

function middle(table, piece) {
  const { at } = piece;
  const outline = table.shapes.outline(piece);
  const mean = (axis) => outline.reduce((sum, point) => sum + point[axis], 0) / outline.length;
  return outline.length ? [mean(0), mean(1), at[2]] : at;
}

// Between the selected model and everyone, both ways.
function sighted(marks, table, size) {
  for (const pair of table.results.pairs) {
    const row = table.row(pair);
    const [attacker, target] = pair.map((name) => table.shown(table.piece(name)));
    const about = { isChosen: String(pair) === String(table.chosen), isFirst: row?.isFirst };
    marks.lines.push(...sightOf(attacker.eye, raised(table, target, 0.6), row && table.levels[row.verdict], size, about));
  }
}

function raised(table, piece, share) {
  const [x, y, z] = middle(table, piece);
  return [x, y, z + share * (table.shapes.known.get(piece.shape)?.height || 30)];
}

// The circle within which it may end its move, and how far it has come.
function limited(marks, table, limit, selected) {
  if (!limit || limit.name !== selected.name || !limit.mm) return;
  const [x, y] = limit.from;
  const height = limit.height + OVER;
  const gone = Math.hypot(selected.at[0] - x, selected.at[1] - y);
  const colour = gone > limit.mm + 0.01 ? "red" : "green";
  const points = [];
  for (let corner = 0; corner <= CORNERS; corner += 1) {
    const angle = (2 * Math.PI * corner) / CORNERS;
    points.push([x + limit.mm * Math.cos(angle), y + limit.mm * Math.sin(angle), height]);
  }
  marks.lines.push({ points, colour, width: 2, dash: null, over: false });
  marks.areas.push({ outline: points.slice(0, -1), height: height - 0.2, colour, opacity: 0.08 });
  if (gone > 0.5) {
    const ends = [[x, y, height], [selected.at[0], selected.at[1], selected.at[2] + OVER]];
    marks.lines.push({ points: ends, colour, width: 2, dash: [0.8, 0.6], over: true });
  }
}

function ruled(marks, { from, to }, size) {
  marks.lines.push({ points: [from, to], colour: "ink", width: 2.5, dash: null, over: true });
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [x, y] = [(-dy / length) * (size / 50), (dx / length) * (size / 50)];
  for (const end of [from, to]) {
    const points = [[end[0] - x, end[1] - y, end[2]], [end[0] + x, end[1] + y, end[2]]];
    marks.lines.push({ points, colour: "ink", width: 2.5, dash: null, over: true });
  }
}

// Where a model from the shelf would stand, and the bases that the scan shows.
function shelved(marks, { at, radius, snapped, bases }) {
  for (const base of bases) circled(marks, base.at, base.diameter / 2, { colour: "ink", width: 1.5, dash: [0.5, 0.4] });
  if (!at) return;
  circled(marks, at, radius, { colour: "paper", width: 6, dash: null });
  const outline = circled(marks, at, radius, { colour: snapped ? "green" : "blue", width: 3, dash: null });
  marks.areas.push({ outline, height: at[2] + OVER, colour: snapped ? "green" : "blue", opacity: 0.3 });
}

function circled(marks, [x, y, z = 0], radius, look) {
  const points = Array.from({ length: CORNERS / 2 + 1 }, (_, corner) => {
    const angle = (4 * Math.PI * corner) / CORNERS;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle), z + OVER];
  });
  marks.lines.push({ points, ...look, over: true });
  return points.slice(0, -1);
}

// A box round what would not count.
function boxed(marks, edges) {
  for (const points of edges) marks.lines.push({ points, colour: "red", width: 2, dash: null, over: true });
}

// A square on its tip: the nearest place with so much cover.
function placed(marks, [x, y, z], colour, size) {
  const half = size / 45;
  const corners = [[half, 0], [0, half], [-half, 0], [0, -half], [half, 0]];
  const points = corners.map(([dx, dy]) => [x + dx, y + dy, z + 2]);
  marks.lines.push({ points, colour: "paper", width: 6, dash: null, over: true });
  marks.lines.push({ points, colour, width: 3, dash: null, over: true });
}
