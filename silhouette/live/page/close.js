// A close look at one piece in 3D: the camera before it, what a box would leave out of it, and its portrait.
import { framed } from "./framing.js";

const ANGLE = 35; // degrees upright
const FRONT = 0.9; // how far the camera stands to the side of the front, for each of it that it stands before
const GHOST = "#cc79a7";

export class CloseLook {
  constructor(view, three) {
    Object.assign(this, { view, three, drawn: null });
    this.camera = new three.PerspectiveCamera(ANGLE, 1, 1, 1000);
    this.camera.up.set(0, 0, 1);
  }

  #piece(name) {
    return this.view.stage.pieces.find((piece) => piece.name === name) || null;
  }

  // Where a camera sees all of a piece from its front, a little to one side and from above.
  #before(piece, camera, side) {
    const angle = ((piece.ahead ?? 90) * Math.PI) / 180;
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    const direction = [x - side * FRONT * y, y + side * FRONT * x, 0.55];
    const { min, max } = piece.body.clone().setFromObject(piece.group);
    const points = [min.x, max.x].flatMap((px) => [min.y, max.y].flatMap((py) => [min.z, max.z].map((pz) => [px, py, pz])));
    return framed(points, direction, camera, ANGLE, this.three);
  }

  // Whether the piece is there to be looked at.
  near(name) {
    const piece = this.#piece(name);
    if (!piece) return false;
    const { viewer } = this.view;
    const { target, position } = this.#before(piece, viewer.camera, 1);
    const away = position.clone().sub(target).multiplyScalar(1.25);
    viewer.go(target.clone().add(away), target, ANGLE, true);
    return true;
  }

  // Shows the triangles that would be left out: {name, corners}; null for none.
  proposed(some) {
    const { three } = this;
    if (this.drawn) {
      this.drawn.removeFromParent();
      this.drawn.geometry.dispose();
      this.drawn.material.dispose();
      this.drawn = null;
    }
    const piece = some && this.#piece(some.name);
    if (piece && some.corners.length) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("position", new three.Float32BufferAttribute(some.corners, 3));
      const material = new three.MeshBasicMaterial({ color: "#e69f00", side: three.DoubleSide, transparent: true, opacity: 0.8 });
      this.drawn = new three.Mesh(geometry, material);
      this.drawn.renderOrder = 5;
      piece.group.add(this.drawn);
      this.drawn.updateMatrixWorld(true);
    }
    this.view.draw();
  }

  // A picture of a piece alone, from both sides of its front, what does not count in another colour; with the places of points.
  portrait(name, size, points) {
    const piece = this.#piece(name);
    if (!piece) return null;
    const { view, three } = this;
    const { renderer } = view.viewer;
    const whole = renderer.domElement;
    const side = Math.min(size, whole.width, whole.height);
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * side, height: side });
    const places = [];
    const restore = this.#alone(piece);
    const scale = renderer.getPixelRatio();
    [-1, 1].forEach((from, index) => {
      const { target, position } = this.#before(piece, this.camera, from);
      this.camera.position.copy(position);
      this.camera.lookAt(target);
      Object.assign(this.camera, { near: position.distanceTo(target) / 100, far: position.distanceTo(target) * 100 });
      this.camera.updateProjectionMatrix();
      this.camera.updateMatrixWorld();
      renderer.setViewport(0, 0, side / scale, side / scale);
      renderer.setScissor(0, 0, side / scale, side / scale);
      renderer.setScissorTest(true);
      renderer.render(view.stage.scene, this.camera);
      renderer.setScissorTest(false);
      renderer.setViewport(0, 0, whole.width / scale, whole.height / scale);
      canvas.getContext("2d").drawImage(whole, 0, whole.height - side, side, side, index * side, 0, side, side);
      for (const point of points) {
        const at = new three.Vector3(...point).project(this.camera);
        places.push([side * (index + (1 + at.x) / 2), (side * (1 - at.y)) / 2]);
      }
    });
    restore();
    view.draw();
    return { canvas, places };
  }

  #alone(piece) {
    const { view, three } = this;
    const { stage } = view;
    const shown = stage.pieces.filter((one) => one !== piece && one.group.visible);
    for (const one of shown) one.group.visible = false;
    const others = [view.marks, view.cells, stage.marks, piece.behind, this.drawn].filter(Boolean);
    const were = others.map((one) => one.visible);
    for (const one of others) one.visible = false;
    stage.painted(ofPaper());
    const material = piece.ghost?.material;
    if (piece.ghost) piece.ghost.material = new three.MeshBasicMaterial({ color: GHOST, transparent: true, opacity: 0.75, side: three.DoubleSide });
    return () => {
      stage.painted(view.style);
      for (const one of shown) one.group.visible = true;
      others.forEach((one, index) => (one.visible = were[index]));
      if (!piece.ghost) return;
      piece.ghost.material.dispose();
      piece.ghost.material = material;
    };
  }
}

// The colours of light paper, in a dark scheme too.
function ofPaper() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.find(({ selectorText }) => selectorText === ":root").style;
}
