// What the attacker sees, drawn into a second canvas from the scene that the table shows.
import { nearestHit } from "./hits.js";

const { angleRound, three } = window.silhouetteViewer;

export class EyePicture {
  constructor(view) {
    this.view = view;
    this.canvas = null;
    this.camera = new three.PerspectiveCamera();
    this.camera.up.set(0, 0, 1);
    this.caster = new three.Raycaster();
    this.pointed = null;
  }

  // The camera in the eye of whoever looks, the target in the middle.
  #placed(aspect) {
    const { stage } = this.view;
    const sphere = stage.sphereOf(stage.view);
    const { camera } = this;
    camera.position.set(...stage.view.eye);
    camera.lookAt(sphere.center);
    camera.aspect = aspect;
    camera.fov = angleRound(sphere, Math.max(camera.position.distanceTo(sphere.center), 1e-6), aspect);
    camera.near = stage.sphere.radius / 2000;
    camera.far = 6 * stage.sphere.radius;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  // Drawn in a corner of the table's own picture before that picture is drawn, and copied.
  draw() {
    const { canvas, view } = this;
    const { stage, viewer } = view;
    if (!canvas || !canvas.offsetParent || !stage.view?.measured) return;
    const ratio = Math.min(window.devicePixelRatio || 1, viewer.finest);
    const { renderer } = viewer;
    const whole = renderer.domElement;
    const width = Math.min(Math.round(canvas.clientWidth * ratio), whole.width);
    const height = Math.min(Math.round(canvas.clientHeight * ratio), whole.height);
    if (!width || !height) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.#placed(width / height);
    this.#hidden(true);
    const scale = renderer.getPixelRatio();
    renderer.setViewport(0, 0, width / scale, height / scale);
    renderer.setScissor(0, 0, width / scale, height / scale);
    renderer.setScissorTest(true);
    renderer.render(stage.scene, this.camera);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, whole.width / scale, whole.height / scale);
    canvas.getContext("2d").drawImage(whole, 0, whole.height - height, width, height, 0, 0, width, height);
    this.#hidden(false);
  }

  #hidden(hidden) {
    const { stage, marks, cells } = this.view;
    stage.shown(hidden);
    marks.visible = cells.visible = !hidden;
  }

  // The name of the piece at a place of the picture, from 0 to 1 across and down; null where there is none.
  at(across, down) {
    const { stage } = this.view;
    if (!stage.view?.measured) return null;
    this.caster.setFromCamera(new three.Vector2(2 * across - 1, 1 - 2 * down), this.camera);
    const attacker = stage.pieces[stage.view.attacker];
    return nearestHit(this.caster, stage.pieces.filter((piece) => piece !== attacker))?.name ?? null;
  }
}
