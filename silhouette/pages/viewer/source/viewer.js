// The camera and the canvas, and what a pointer on the canvas does to them.
import { MathUtils, PCFShadowMap, PerspectiveCamera, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { isSoftware, Pace } from "./pace.js";

const ANGLE = 35; // degrees upright
const NEARER = 0.86;
const SECONDS = 0.55;

// How wide a picture of a sphere is upright, in degrees, from so far away.
export function angleRound(sphere, distance, aspect) {
  const wide = Math.asin(Math.min((sphere.radius * 1.5) / distance, 0.92));
  const upright = aspect < 1 ? Math.atan(Math.tan(wide) / aspect) : wide;
  return Math.min(MathUtils.radToDeg(2 * upright), 140);
}

// The browser draws nothing in 3D.
export class NoWebGL extends Error {}

function rendererOf(canvas, antialias) {
  try {
    return new WebGLRenderer({ canvas, antialias, preserveDrawingBuffer: true });
  } catch (error) {
    throw new NoWebGL(error.message);
  }
}

export class Viewer {
  constructor(canvas, stage, labels = []) {
    this.canvas = canvas;
    this.stage = stage;
    this.labels = labels;
    this.pace = new Pace(isSoftware(), () => this.#simpler());
    this.renderer = rendererOf(canvas, !this.pace.slow);
    this.renderer.shadowMap.enabled = !this.pace.slow;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.camera = new PerspectiveCamera(ANGLE, 1, 1, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomSpeed = 1.4;
    this.fromEye = false;
    this.finest = this.pace.slow ? 1 : 2; // device pixels for a CSS pixel
    this.left = () => {};
    this.slowed = () => {}; // runs where graphics turn out to be slow
    this.before = () => {}; // runs before each picture, and may draw others
    this.after = () => {};
    this.idle = false; // whether nobody looks at it
    this.stale = false; // whether something has changed since what the target shows was looked at
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("start", () => this.#leave());
    canvas.addEventListener("webglcontextrestored", () => {
      stage.about = "";
      this.changed();
    });
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement);
    this.fit();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, this.finest));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.fromEye) this.eye(false);
    else this.draw();
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    this.pace.draw(this.renderer.getContext(), () => {
      this.waiting = false;
      if (this.stale) this.stage.looked(this.renderer);
      this.stale = false;
      this.before();
      this.#depths();
      if (!this.idle) this.renderer.render(this.stage.scene, this.camera);
      this.#named();
      this.after();
    });
  }

  // For slow graphics: without shadows, and no finer than CSS pixels.
  #simpler() {
    this.renderer.shadowMap.enabled = false;
    this.stage.scene.traverse(({ material }) => {
      if (material) material.needsUpdate = true;
    });
    this.finest = 1;
    this.fit();
    this.slowed();
  }

  // Something has come, gone or changed its part.
  changed() {
    this.stage.shown(this.fromEye);
    this.stale = true;
    this.draw();
  }

  #depths() {
    const { center, radius } = this.stage.sphere;
    const distance = this.camera.position.distanceTo(center);
    this.camera.near = this.fromEye && this.stage.view.measured ? radius / 2000 : Math.max(distance - 3 * radius, radius / 400);
    this.camera.far = distance + 6 * radius;
    this.camera.updateProjectionMatrix();
  }

  table(from = new Vector3(-0.55, -1, 0.78), moving = true) {
    const center = this.stage.box.getCenter(new Vector3());
    const away = from.clone().normalize();
    const position = away.clone().multiplyScalar(this.#distance(center, away)).add(center);
    this.fromEye = false;
    this.changed();
    this.go(position, center, ANGLE, moving);
  }

  // How far away all of it just fits into the picture.
  #distance(center, away) {
    const right = new Vector3().crossVectors(this.camera.up, away).normalize();
    const up = new Vector3().crossVectors(away, right);
    const upright = Math.tan(MathUtils.degToRad(ANGLE) / 2) * 0.92;
    const across = upright * this.camera.aspect;
    const { min, max } = this.stage.box;
    let distance = 0;
    for (let corner = 0; corner < 8; corner += 1) {
      const at = new Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
      at.sub(center);
      const reach = Math.max(Math.abs(at.dot(right)) / across, Math.abs(at.dot(up)) / upright);
      distance = Math.max(distance, reach + at.dot(away));
    }
    return distance;
  }

  above() {
    this.table(new Vector3(0, -0.001, 1));
  }

  // What the attacker sees: the camera in its eye, the target in the middle. Where the rules know no eye, from behind.
  eye(moving = true) {
    const { view } = this.stage;
    const sphere = this.stage.sphereOf(view);
    const eye = new Vector3(...view.eye);
    const distance = Math.max(eye.distanceTo(sphere.center), 1e-6);
    this.fromEye = true;
    this.changed();
    if (!view.measured) {
      const back = eye.clone().sub(sphere.center).setZ(0);
      if (back.lengthSq() < 1e-9) back.set(0, -1, 0);
      const reach = Math.max(distance, 3 * sphere.radius);
      const middle = eye.clone().lerp(sphere.center, 0.6);
      const position = eye.addScaledVector(back.normalize(), 0.75 * reach).setZ(eye.z + 0.6 * reach);
      const angle = this.camera.aspect < 1 ? 55 : 42;
      this.go(position, middle, angle, moving);
      return;
    }
    this.go(eye, sphere.center, angleRound(sphere, distance, this.camera.aspect), moving);
  }

  // Where the camera is, as `go` takes it.
  get standing() {
    const { camera, controls, fromEye } = this;
    return { position: camera.position.clone(), target: controls.target.clone(), angle: camera.fov, fromEye };
  }

  go(position, target, angle, moving) {
    const { camera, controls } = this;
    const from = this.standing;
    const still = !moving || window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const started = performance.now();
    const turn = (this.turn = {});
    const at = (share) => {
      camera.position.lerpVectors(from.position, position, share);
      controls.target.lerpVectors(from.target, target, share);
      camera.fov = from.angle + (angle - from.angle) * share;
      camera.zoom = 1;
      controls.update();
      this.draw();
    };
    const next = () => {
      if (this.turn !== turn) return;
      const share = Math.min((performance.now() - started) / (1000 * SECONDS), 1);
      at(share * share * (3 - 2 * share));
      if (share < 1) requestAnimationFrame(next);
    };
    if (still) at(1);
    else next();
  }

  // Whoever turns the view by hand is no longer in the eye.
  #leave() {
    this.turn = null;
    if (!this.fromEye) return;
    this.fromEye = false;
    this.changed();
    this.left();
  }

  nearer(share = NEARER) {
    if (this.fromEye) {
      this.camera.zoom = Math.min(Math.max(this.camera.zoom / share, 0.25), 12);
      this.draw();
      return;
    }
    const away = this.camera.position.clone().sub(this.controls.target).multiplyScalar(share);
    this.camera.position.copy(this.controls.target).add(away);
    this.controls.update();
    this.draw();
  }

  farther() {
    this.nearer(1 / NEARER);
  }

  turned(left, up) {
    this.#leave();
    this.controls.rotateLeft(left);
    this.controls.rotateUp(up);
    this.controls.update();
    this.draw();
  }

  // The names of those whom the check is about, over their heads.
  #named() {
    const at = new Vector3();
    const inEye = this.fromEye && this.stage.view.measured;
    for (const [index, piece] of this.stage.pieces.entries()) {
      const label = this.labels[index];
      if (!label) continue;
      piece.body.getCenter(at).setZ(piece.body.max.z + this.stage.sphere.radius / 60);
      at.project(this.camera);
      const inside = Math.max(Math.abs(at.x), Math.abs(at.y), Math.abs(at.z)) < 1;
      label.hidden = !inside || !piece.part || !piece.group.visible || piece.part === "aside" || (inEye && piece.part !== "target");
      if (label.hidden) continue;
      label.style.left = `${(50 * (1 + at.x)).toFixed(2)}%`;
      label.style.top = `${(50 * (1 - at.y)).toFixed(2)}%`;
    }
  }
}
