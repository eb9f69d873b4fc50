// Marks on the table in 3D, for reports and for the live table: lines of one look become one object; areas lie flat; each is
// {points, colour, width, dash, over, opacity}, with a colour of the page.
import { BufferGeometry, Color, DoubleSide, Float32BufferAttribute, Mesh, MeshBasicMaterial } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

export function drawnMarks(group, { lines, areas = [] }, size, style) {
  for (const mark of [...group.children]) {
    group.remove(mark);
    mark.geometry.dispose();
    mark.material.dispose();
  }
  const colourOf = (name) => new Color(style.getPropertyValue(`--${name}`).trim() || name);
  const alike = new Map();
  for (const line of lines) {
    const look = JSON.stringify([line.colour, line.width, line.dash, line.over, line.opacity]);
    if (!alike.has(look)) alike.set(look, []);
    alike.get(look).push(line);
  }
  for (const [number, several] of [...alike.values()].entries()) {
    const drawn = drawnLines(several, size, colourOf);
    drawn.renderOrder += number / (alike.size + 1); // what comes later lies over what came before
    group.add(drawn);
  }
  for (const area of areas) group.add(drawnArea(area, colourOf));
}

function drawnLines(several, size, colourOf) {
  const [{ colour, width, dash, over, opacity = 1 }] = several;
  const geometry = new LineSegmentsGeometry();
  const ends = several.flatMap(({ points }) => points.slice(1).flatMap((point, index) => [...points[index], ...point]));
  geometry.setPositions(ends);
  const unit = size / 60;
  const material = new LineMaterial({
    color: colourOf(colour),
    linewidth: width,
    transparent: true,
    opacity,
    depthTest: !over,
    depthWrite: false, // a line of the same points may lie on it
    dashed: Boolean(dash),
    dashSize: dash ? dash[0] * unit : 1,
    gapSize: dash ? dash[1] * unit : 1,
  });
  const drawn = new LineSegments2(geometry, material);
  if (dash) drawn.computeLineDistances();
  drawn.renderOrder = over ? 6 : 5;
  return drawn;
}

// A convex outline, filled.
function drawnArea({ outline, height, colour, opacity }, colourOf) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(outline.flatMap(([x, y]) => [x, y, height]), 3));
  geometry.setIndex(outline.slice(2).flatMap((_, index) => [0, index + 1, index + 2]));
  const material = new MeshBasicMaterial({
    color: colourOf(colour),
    transparent: true,
    opacity,
    side: DoubleSide,
    depthWrite: false,
  });
  const drawn = new Mesh(geometry, material);
  drawn.renderOrder = 3;
  return drawn;
}
