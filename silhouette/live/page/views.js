// The table in 3D, and from above as a plan: the plan where there is no WebGL, or where somebody likes it better.
import { byId } from "./page.js";
import { Plan } from "./plan.js";
import { View } from "./view.js";

const SLUGGISH = 300; // ms of a picture, with which the plan is better to work with

export class Views {
  constructor(holder, shapes, changed) {
    Object.assign(this, { holder, shapes, changed });
    this.flat = null;
    this.deep = this.#deep();
    this.now = this.deep || this.#plan();
    this.#told();
  }

  // What is drawn: the plan alone, the 3D view alone, or the plan and, from the 3D view, what the eye sees.
  get all() {
    return this.deep && this.now !== this.deep ? [this.now, this.deep] : [this.now];
  }

  #deep() {
    try {
      return new View(this.holder, this.shapes);
    } catch {
      this.holder.replaceChildren();
      byId("view-plan").hidden = true;
      return null;
    }
  }

  #plan() {
    if (!this.flat) {
      this.flat = new Plan(this.holder, this.shapes);
      this.flat.drawn = this.deep?.drawn || (() => {});
    }
    return this.flat;
  }

  #told() {
    const plan = this.now === this.flat;
    document.documentElement.dataset.view = plan ? "plan" : "3d";
    byId("view-plan").setAttribute("aria-pressed", String(plan));
    this.flat?.shown(plan);
    this.deep?.shown(!plan);
  }

  toggle() {
    if (!this.deep) return;
    this.now = this.now === this.deep ? this.#plan() : this.deep;
    this.#told();
    this.changed();
  }

  // Whether pictures in 3D take so long that somebody should be told of the plan.
  get sluggish() {
    return this.deep === this.now && this.deep.pace.cost > SLUGGISH;
  }
}
