// What stands on the table, coloured by the part that it plays in one check.
import {
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  EdgesGeometry,
  Float32BufferAttribute,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  PlaneGeometry,
  Scene,
  Sphere,
  SphereGeometry,
  Vector3,
  Box3,
} from "three";
import { drawnMarks } from "./marks.js";
import { matrixOf } from "./meshes.js";
import { Target, through } from "./target.js";
import { ARC } from "./verdicts.js";

const BLOCKING = 1; // the layer of what may stand in the way

const COLOURS = {
  seen: "#56b4e9",
  obscured: "#d55e00",
  outside: "#f0e442",
  blocker: "#e3b778",
  attacker: "#5d6470",
  terrain: "#cfcdc6",
  model: "#aab1be",
  aside: "#cc79a7",
  ghost: "#f2f1f4",
  edge: "#4b4e55",
  sight: "#21242a",
  ground: "#f6f4ee",
};

// Of the lines that a report has, by their kinds.
const LOOKS = {
  sight: { colour: "ink", width: 1.75, over: true },
  free: { colour: "seen-edge", width: 2.5, over: true },
  blocked: { colour: "obscured-edge", width: 2.5, dash: ARC.dash, over: true },
  arc: { ...ARC, over: false },
};

function faint(colour, opacity) {
  return new MeshLambertMaterial({ color: colour, side: DoubleSide, transparent: true, opacity, depthWrite: false });
}

export class Stage {
  constructor() {
    this.scene = new Scene();
    this.target = new Target();
    this.materials = { ghost: faint(COLOURS.ghost, 0.5), aside: faint(COLOURS.aside, 0.35) };
    this.target.coloured(new Color(COLOURS.seen), new Color(COLOURS.obscured), new Color(COLOURS.outside));
    this.through = { free: through(COLOURS.seen), hidden: through(COLOURS.obscured) };
    this.edge = new LineBasicMaterial({ color: COLOURS.edge, transparent: true, opacity: 0.55 });
    this.shapes = new Map();
    this.pieces = [];
    this.lines = new Group();
    this.marks = new Group().add(this.lines);
    this.scene.add(this.marks);
    this.about = ""; // what stood where when shadows and what the eye sees were last drawn
    this.own = true; // whether pieces are shown in the colours of their files, where these have some
    this.view = null;
  }

  // What stands on the stage of a report, which has it at once; its shapes are there.
  stand({ pieces, floor }) {
    for (const one of pieces) this.pieces.push(this.placed(one));
    this.framed(floor);
    this.chosen(null);
  }

  shaped(key, shape) {
    const edges = shape.flat && shape.counting ? new EdgesGeometry(shape.counting, 25) : null;
    this.shapes.set(key, { ...shape, edges });
  }

  // A piece of a shape, in its place: {name, kind, shape, pose}.
  placed(one) {
    const group = new Group();
    const shape = this.shapes.get(one.shape);
    group.matrix.copy(matrixOf(one.pose));
    group.matrixAutoUpdate = false;
    const mesh = shape.counting && new Mesh(shape.counting, this.#plain("terrain"));
    const ghost = shape.ghosts && new Mesh(shape.ghosts, this.materials.ghost);
    if (mesh) {
      mesh.castShadow = mesh.receiveShadow = true;
      group.add(mesh);
    }
    if (ghost) {
      ghost.renderOrder = 4;
      group.add(ghost);
    }
    const lines = shape.edges && new LineSegments(shape.edges, this.edge);
    if (lines) group.add(lines);
    this.scene.add(group);
    group.updateMatrixWorld(true);
    const body = new Box3().setFromObject(mesh || group, true);
    return { ...one, group, mesh, ghost, lines, body, wanted: true, coloured: shape.coloured };
  }

  moved(piece, pose) {
    const before = piece.group.matrix.elements.slice();
    piece.group.matrix.copy(matrixOf(pose));
    piece.group.updateMatrixWorld(true);
    const now = piece.group.matrix.elements;
    piece.pose = pose;
    const turned = now.some((value, index) => index < 12 && value !== before[index]);
    if (turned) piece.body.setFromObject(piece.mesh || piece.group, true);
    else piece.body.translate(new Vector3(now[12] - before[12], now[13] - before[13], now[14] - before[14]));
  }

  removed(piece) {
    this.scene.remove(piece.group);
  }

  // The light and the floor, fitted to what stands there.
  framed(floor) {
    this.box = new Box3();
    for (const piece of this.pieces) this.box.expandByObject(piece.group);
    if (floor?.whole) {
      const [[left, near], [right, far]] = floor.span;
      this.box.expandByPoint(new Vector3(left, near, 0)).expandByPoint(new Vector3(right, far, 0));
    }
    if (this.box.isEmpty()) this.box.expandByPoint(new Vector3()).expandByScalar(100);
    this.sphere = this.box.getBoundingSphere(new Sphere());
    if (this.set) this.scene.remove(this.set);
    this.set = new Group();
    this.scene.add(this.set);
    this.about = ""; // its sun is another one
    this.#lit();
    this.#floor(floor);
  }

  // In the colours of a piece's own file; what is in the way is tinted.
  #own(part, opacity) {
    const key = `own ${part}/${opacity}`;
    if (!this.materials[key]) {
      const material = this.#plain(part === "blocker" ? part : "#ffffff", opacity).clone();
      material.vertexColors = true;
      this.materials[key] = material;
    }
    return this.materials[key];
  }

  #plain(colour, opacity = 1) {
    const key = `${colour}/${opacity}`;
    if (!this.materials[key]) {
      const colours = COLOURS[colour] || colour;
      this.materials[key] =
        opacity < 1
          ? faint(colours, opacity)
          : new MeshLambertMaterial({
              color: colours,
              side: DoubleSide,
              polygonOffset: true,
              polygonOffsetFactor: 1,
              polygonOffsetUnits: 1,
            });
    }
    return this.materials[key];
  }

  #lit() {
    const { center, radius } = this.sphere;
    this.set.add(new HemisphereLight("#ffffff", "#b9b2a4", 2.1));
    const sun = new DirectionalLight("#ffffff", 2.0);
    sun.position.set(center.x - radius, center.y - 0.7 * radius, center.z + 2.1 * radius);
    sun.target.position.copy(center);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius });
    Object.assign(sun.shadow.camera, { near: 0.1 * radius, far: 4.5 * radius });
    sun.shadow.normalBias = radius / 350;
    sun.shadow.intensity = 0.45;
    this.set.add(sun, sun.target);
  }

  #floor(floor) {
    if (!floor) return;
    const [[left, near], [right, far]] = floor.span;
    const ground = new Mesh(new PlaneGeometry(right - left, far - near), this.#plain("ground"));
    ground.position.set((left + right) / 2, (near + far) / 2, floor.height - 0.002 * this.sphere.radius);
    ground.receiveShadow = true;
    const points = [];
    for (let x = left; x <= right + 1e-6; x += floor.step) points.push(x, near, 0, x, far, 0);
    for (let y = near; y <= far + 1e-6; y += floor.step) points.push(left, y, 0, right, y, 0);
    const lines = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
    this.grid = new LineBasicMaterial();
    const grid = new LineSegments(lines, this.grid);
    grid.position.z = floor.height - 0.001 * this.sphere.radius;
    this.set.add(ground, grid);
  }

  // The page's own colours, which change with light and dark.
  painted(style) {
    const of = (name) => new Color(style.getPropertyValue(`--${name}`).trim() || "#ffffff");
    this.scene.background = of("paper");
    this.#plain("ground").color = of("ground");
    if (this.grid) this.grid.color = of("grid");
    this.#plain("sight").color = of("ink");
    this.style = style;
    this.#marked();
  }

  chosen(view) {
    this.view = view;
    for (const [index, piece] of this.pieces.entries()) {
      const part = this.part(index);
      piece.part = part;
      if (piece.behind) {
        piece.group.remove(piece.behind);
        piece.behind = null;
      }
      if (!piece.mesh) continue;
      const colour = piece.colour || (piece.kind === "terrain" ? "terrain" : "model");
      const measured = part === "target" && view.measured;
      piece.mesh.material = measured
        ? this.target.material
        : part === "aside"
          ? this.materials.aside
          : part === "target"
            ? this.#plain(view.free ? "seen" : "obscured", piece.opacity)
            : piece.coloured && this.own
              ? this.#own(part, piece.opacity)
              : this.#plain(part === "blocker" || part === "attacker" ? part : colour, piece.opacity);
      piece.mesh.renderOrder = part === "aside" ? 3 : 0;
      piece.mesh.castShadow = part !== "aside";
      piece.mesh.layers.set(0);
      if (!["attacker", "target", "aside"].includes(part)) piece.mesh.layers.enable(BLOCKING);
      if (part !== "target") continue;
      const through = view.free ? this.through.free : this.through.hidden;
      piece.behind = new Mesh(piece.mesh.geometry, measured ? this.target.behind : through);
      piece.behind.renderOrder = 1;
      piece.mesh.renderOrder = 2;
      piece.group.add(piece.behind);
      piece.group.updateMatrixWorld(true);
    }
    this.#marked();
  }

  part(index) {
    const { view } = this;
    if (!view) return "";
    if (index === view.attacker) return "attacker";
    if (index === view.target) return "target";
    if (view.aside.includes(index)) return "aside";
    return view.blockers.includes(index) ? "blocker" : "";
  }

  // In the eye what looks is not in its own way, nor shown.
  shown(fromEye) {
    const inside = fromEye && this.view.measured;
    for (const [index, piece] of this.pieces.entries()) {
      piece.group.visible = piece.wanted && !(inside && index === this.view.attacker);
    }
    this.marks.visible = !inside;
  }

  // Shadows, and what the eye sees: anew after anything has come, gone, moved or changed its part in them.
  looked(renderer) {
    const { view } = this;
    const seen = view?.measured && [view.eye, view.target, view.arcs, view.apex];
    const standing = this.pieces.map(({ shape, pose, group, mesh }) => [shape, pose, group.visible, mesh?.castShadow, mesh?.layers.mask]);
    const about = JSON.stringify([seen, standing]);
    if (about === this.about) return;
    this.about = about;
    renderer.shadowMap.needsUpdate = true;
    if (!seen) return;
    this.target.camera.layers.set(BLOCKING);
    this.target.look(renderer, this.scene, view, this.sphereOf(view));
  }

  sphereOf(view) {
    return this.pieces[view.target].body.getBoundingSphere(new Sphere());
  }

  #marked() {
    const { view } = this;
    const lines = (view?.lines || []).map((line) => ({ ...LOOKS[line.kind], ...line }));
    drawnMarks(this.lines, { lines }, this.sphere?.radius, this.style);
    if (this.eye) {
      this.marks.remove(this.eye);
      this.eye.geometry.dispose();
      this.eye = null;
    }
    if (view?.eye && view.measured) {
      this.eye = new Mesh(new SphereGeometry(this.sphere.radius / 130, 16, 12), this.#plain("sight"));
      this.eye.position.set(...view.eye);
      this.marks.add(this.eye);
    }
  }
}
