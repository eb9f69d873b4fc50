// Marks on the table in 3D: lines of one look become one object; areas lie flat; each is {points, colour, width, dash}.
export function drawnMarks(group, { lines, areas }, size, style, three) {
  for (const mark of [...group.children]) {
    group.remove(mark);
    mark.geometry.dispose();
    mark.material.dispose();
  }
  const colourOf = (name) => new three.Color(style.getPropertyValue(`--${name}`).trim() || name);
  const alike = new Map();
  for (const line of lines) {
    const look = JSON.stringify([line.colour, line.width, line.dash, line.over, line.opacity]);
    if (!alike.has(look)) alike.set(look, []);
    alike.get(look).push(line);
  }
  for (const several of alike.values()) group.add(drawnLines(several, size, colourOf, three));
  for (const area of areas) group.add(drawnArea(area, colourOf, three));
}

function drawnLines(several, size, colourOf, three) {
  const [{ colour, width, dash, over, opacity = 1 }] = several;
  const geometry = new three.LineSegmentsGeometry();
  const ends = several.flatMap(({ points }) => points.slice(1).flatMap((point, index) => [...points[index], ...point]));
  geometry.setPositions(ends);
  const unit = size / 60;
  const material = new three.LineMaterial({
    color: colourOf(colour),
    linewidth: width,
    transparent: true,
    opacity,
    depthTest: !over,
    dashed: Boolean(dash),
    dashSize: dash ? dash[0] * unit : 1,
    gapSize: dash ? dash[1] * unit : 1,
  });
  const drawn = new three.LineSegments2(geometry, material);
  if (dash) drawn.computeLineDistances();
  drawn.renderOrder = over ? 6 : 5;
  return drawn;
}

// A convex outline, filled.
function drawnArea({ outline, height, colour, opacity }, colourOf, three) {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(outline.flatMap(([x, y]) => [x, y, height]), 3));
  geometry.setIndex(outline.slice(2).flatMap((_, index) => [0, index + 1, index + 2]));
  const material = new three.MeshBasicMaterial({
    color: colourOf(colour),
    transparent: true,
    opacity,
    side: three.DoubleSide,
    depthWrite: false,
  });
  const drawn = new three.Mesh(geometry, material);
  drawn.renderOrder = 3;
  return drawn;
}
