// The map of cover on the table: a square for each place, hatched where it is too close to call.
const VERTEX = `
attribute vec3 colour;
attribute float close;
varying vec3 vColour;
varying float vClose;
varying vec2 vPlace;
void main() {
  vColour = colour;
  vClose = close;
  vPlace = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const FRAGMENT = `
varying vec3 vColour;
varying float vClose;
varying vec2 vPlace;
uniform float stripe;
void main() {
  bool line = vClose > 0.5 && fract((vPlace.x - vPlace.y) / stripe) < 0.3;
  gl_FragColor = vec4(line ? vec3(0.02) : vColour, 0.82);
  #include <colorspace_fragment>
}`;
const OVER = 0.8; // mm above the surface
const FILLED = 0.94; // of a place's width

export function drawnCells(group, cells, three) {
  for (const drawn of [...group.children]) {
    group.remove(drawn);
    drawn.geometry.dispose();
    drawn.material.dispose();
  }
  if (!cells?.places.length) return;
  const [positions, colours, close, index] = [[], [], [], []];
  for (const { at: [x, y, z], colour, marginal, width } of cells.places) {
    const half = (FILLED * width) / 2;
    const first = positions.length / 3;
    const { r, g, b } = new three.Color(colour);
    for (const [right, up] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      positions.push(x + right * half, y + up * half, z + OVER - (0.3 * width) / cells.grid);
      colours.push(r, g, b);
      close.push(marginal ? 1 : 0);
    }
    index.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("colour", new three.Float32BufferAttribute(colours, 3));
  geometry.setAttribute("close", new three.Float32BufferAttribute(close, 1));
  geometry.setIndex(index);
  const material = new three.ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { stripe: { value: cells.grid / 3 } },
    transparent: true,
    depthWrite: false,
    side: three.DoubleSide,
  });
  const drawn = new three.Mesh(geometry, material);
  drawn.renderOrder = 2;
  group.add(drawn);
}
