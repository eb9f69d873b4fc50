// A picture of the table from above as a level rectangle in 3D; it is there once its image is read.
export function drawnPicture({ low: [left, near], high: [right, far], type, data }, three, ready) {
  const image = new Image();
  const map = new three.Texture(image);
  map.colorSpace = three.SRGBColorSpace;
  image.addEventListener("load", () => {
    map.needsUpdate = true;
    ready();
  });
  image.src = `data:${type};base64,${data}`;
  const geometry = new three.BufferGeometry();
  const corners = [left, near, 0, right, near, 0, right, far, 0, left, far, 0];
  geometry.setAttribute("position", new three.Float32BufferAttribute(corners, 3));
  geometry.setAttribute("uv", new three.Float32BufferAttribute([0, 0, 1, 0, 1, 1, 0, 1], 2));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return new three.Mesh(geometry, new three.MeshBasicMaterial({ map, toneMapped: false }));
}
