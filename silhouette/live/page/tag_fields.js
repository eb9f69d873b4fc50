// What is said of a model in numbers, for those who do not click: the fields of each kind.
import { wholeBox } from "./boxes.js";
import { byId, made } from "./page.js";

const NUMBERS = {
  base: ["Height", "Diameter"],
  eye: ["To the right, x", "Forward, y", "Up, z"],
  box: ["x from", "y from", "z from", "x to", "y to", "z to"],
};
const TAKEN = { base: "Set the base", eye: "Set the eye", part: "Leave it out", box: "Leave it out" };

export class Fields {
  constructor(typed) {
    this.typed = typed;
    this.inputs = [];
    this.parts = made("select", { id: "tag-parts" });
    this.throughBox = made("input", { type: "checkbox", id: "tag-through" });
    this.throughBox.addEventListener("change", () => typed("through"));
  }

  // The fields of a kind, with what is known.
  shown(kind, said, shape) {
    const labels = NUMBERS[kind] || [];
    const values = this.#known(kind, said, shape);
    this.inputs = labels.map((_, index) => {
      const input = made("input", { type: "number", step: "any", inputMode: "decimal", required: true, value: values[index] ?? "" });
      input.addEventListener("input", () => this.inputs.every((one) => one.value !== "") && this.typed(kind));
      return input;
    });
    const fields = labels.map((label, index) => made("label", {}, `${label}, mm`, this.inputs[index]));
    if (kind === "part") {
      this.parts.replaceChildren(...(said?.parts || []).map((part) => made("option", {}, part)));
      fields.push(made("label", {}, "Part", this.parts));
    }
    if (kind === "box") fields.push(made("label", { className: "wide" }, this.throughBox, "also what lies behind it"));
    const held = byId("tag-fields");
    held.dataset.kind = kind;
    held.replaceChildren(...fields);
    byId("tag-take").textContent = TAKEN[kind];
  }

  #known(kind, said, shape) {
    if (kind === "box") return shape ? wholeBox(shape).flat().map((value) => Math.round(10 * value) / 10) : [];
    if (kind === "eye") return said?.eye || [];
    return said?.base ? [said.base.height, said.base.diameter] : [];
  }

  get numbers() {
    return this.inputs.map(({ value }) => Number(value));
  }

  get through() {
    return this.throughBox.checked;
  }

  get box() {
    const { numbers } = this;
    const corners = [0, 1, 2].map((axis) => [numbers[axis], numbers[axis + 3]].sort((one, other) => one - other));
    return [corners.map(([low]) => low), corners.map(([, high]) => high)];
  }

  set box(box) {
    box.flat().forEach((value, index) => (this.inputs[index].value = String(value)));
  }

  // What the fields say, as a tag; `left` is one more thing that does not count.
  tag(kind) {
    const { numbers } = this;
    if (kind === "part") return this.parts.value ? { left: { part: this.parts.value } } : null;
    if (kind === "box") return { box: this.box };
    if (kind === "eye") return { eye: numbers };
    return { base: { height: numbers[0], diameter: numbers[1] } };
  }
}

// How a thing that does not count is called.
export function named({ part, box, sphere }) {
  if (part !== undefined) return `part ${part}`;
  if (box) return `box of ${[0, 1, 2].map((axis) => Math.round(Math.abs(box[1][axis] - box[0][axis]))).join(" × ")} mm`;
  return `ball of ${Math.round(2 * sphere.radius)} mm`;
}
