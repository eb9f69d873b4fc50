// The target, coloured as in the eye view: what the attacker sees, what is in its way, what lies outside its arc.
import {
  DepthTexture,
  DoubleSide,
  GreaterDepth,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  NearestFilter,
  PerspectiveCamera,
  UnsignedIntType,
  Vector2,
  Vector4,
  WebGLRenderTarget,
} from "three";

const SIZE = 1024;
const MOST_ARCS = 4;

const DECLARED = `
varying vec3 vWorld;
uniform mat4 eyeMatrix;
uniform sampler2D eyeDepth;
uniform vec2 apex;
uniform vec4 arcs[${MOST_ARCS}];
uniform int arcCount;
uniform vec3 seenColour, obscuredColour, outsideColour;
vec3 colourOf(vec3 world) {
  vec2 from = world.xy - apex;
  bool inside = arcCount < 0;
  for (int n = 0; n < ${MOST_ARCS}; n += 1) {
    vec4 arc = arcs[n];
    if (n < arcCount && arc.x * from.y - arc.y * from.x >= 0.0 && arc.w * from.x - arc.z * from.y >= 0.0) inside = true;
  }
  vec4 place = eyeMatrix * vec4(world, 1.0);
  vec3 at = place.xyz / place.w * 0.5 + 0.5;
  bool obscured = place.w > 0.0 && texture2D(eyeDepth, at.xy).x < at.z - 1e-7;
  bool line = fract((gl_FragCoord.x - gl_FragCoord.y) / 9.0) < 0.34;
  if (obscured) return line ? obscuredColour * 0.62 : obscuredColour;
  return inside ? seenColour : outsideColour;
}`;

const STRIPED = "if (fract((gl_FragCoord.x + gl_FragCoord.y) / 5.0) < 0.4) discard;";

// What shines through whatever stands before it, in one colour.
export function through(color) {
  const material = new MeshLambertMaterial({ color, side: DoubleSide, depthFunc: GreaterDepth, depthWrite: false });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace("#include <color_fragment>", STRIPED);
  };
  material.customProgramCacheKey = () => "through";
  return material;
}

export class Target {
  constructor() {
    this.camera = new PerspectiveCamera();
    this.camera.up.set(0, 0, 1);
    this.picture = new WebGLRenderTarget(SIZE, SIZE, { minFilter: NearestFilter, magFilter: NearestFilter });
    this.picture.depthTexture = new DepthTexture(SIZE, SIZE, UnsignedIntType);
    this.uniforms = {
      eyeMatrix: { value: new Matrix4() },
      eyeDepth: { value: this.picture.depthTexture },
      apex: { value: new Vector2() },
      arcs: { value: Array.from({ length: MOST_ARCS }, () => new Vector4()) },
      arcCount: { value: -1 },
      seenColour: { value: null },
      obscuredColour: { value: null },
      outsideColour: { value: null },
    };
    this.blocking = new MeshBasicMaterial({ side: DoubleSide, colorWrite: false });
    this.material = this.#told(new MeshLambertMaterial({ side: DoubleSide }), "");
    // Behind what is in the way it shines through, every other line of it.
    const behind = new MeshLambertMaterial({ side: DoubleSide, depthFunc: GreaterDepth, depthWrite: false });
    this.behind = this.#told(behind, STRIPED);
  }

  #told(material, before) {
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec3 vWorld;")
        .replace("#include <project_vertex>", "#include <project_vertex>\nvWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${DECLARED}`)
        .replace("#include <color_fragment>", `${before}\ndiffuseColor.rgb = colourOf(vWorld);`);
    };
    material.customProgramCacheKey = () => `target${before}`;
    return material;
  }

  coloured(seen, obscured, outside) {
    this.uniforms.seenColour.value = seen;
    this.uniforms.obscuredColour.value = obscured;
    this.uniforms.outsideColour.value = outside;
  }

  // What stands between the eye and the target, taken from the eye: ``shown`` are the meshes that may block.
  look(renderer, scene, view, sphere) {
    const { camera, uniforms } = this;
    camera.position.set(...view.eye);
    camera.lookAt(sphere.center);
    const distance = camera.position.distanceTo(sphere.center);
    const half = distance > sphere.radius ? Math.asin(sphere.radius / distance) : Infinity;
    camera.fov = Math.min((360 / Math.PI) * half * 1.05, 150);
    camera.near = Math.max(0.002 * distance, 1e-3 * sphere.radius);
    camera.far = distance + 2 * sphere.radius;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    uniforms.eyeMatrix.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const arcs = (view.arcs || []).slice(0, MOST_ARCS);
    uniforms.arcCount.value = view.arcs ? arcs.length : -1;
    uniforms.apex.value.set(...(view.apex || [0, 0]));
    arcs.forEach((arc, index) => uniforms.arcs.value[index].set(...arc));
    const background = scene.background;
    scene.overrideMaterial = this.blocking;
    scene.background = null;
    renderer.setRenderTarget(this.picture);
    renderer.clear();
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    scene.overrideMaterial = null;
    scene.background = background;
  }
}
