// When the next picture is drawn: after the one before is done. Slow ones wait until nothing moves, so that they never
// hold up verdicts.
const SLOW = 70; // ms of a picture
const REST = 300; // ms for which nothing moves before a slow picture begins
const POLL = 8; // ms

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

// Whether the browser draws in 3D without a graphics card: it says so, or its driver's name does.
export function isSoftware() {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!context) return true;
  const told = context.getExtension("WEBGL_debug_renderer_info");
  const name = context.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : context.RENDERER);
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(name);
}

export class Pace {
  constructor(slow, slowed) {
    Object.assign(this, { slow, slowed });
    this.told = () => {}; // is told whether there is anything left to draw
    this.done = () => {}; // runs after each picture
    this.cost = 0;
    this.pictures = 0;
    this.busy = false;
    this.ready = 0; // the time before which no slow picture begins
    this.next = null;
  }

  // Something moves.
  moved() {
    this.ready = performance.now() + REST;
  }

  // Draws as soon as may be; one at a time.
  draw(context, act) {
    this.next = () => {
      this.next = null;
      const began = performance.now();
      this.busy = true;
      act();
      this.#done(context, context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0), began);
    };
    this.told(true);
    if (!this.busy) this.#begin();
  }

  #begin() {
    if (this.waiting) return;
    const wait = this.slow ? this.ready - performance.now() : 0;
    this.waiting = true;
    const again = () => {
      this.waiting = false;
      if (this.slow && this.ready > performance.now()) this.#begin();
      else this.next?.();
    };
    if (wait > 0) setTimeout(again, wait);
    else requestAnimationFrame(again);
  }

  #done(context, fence, began) {
    context.flush();
    const look = () => {
      if (!context.isContextLost() && context.getSyncParameter(fence, context.SYNC_STATUS) !== context.SIGNALED) {
        setTimeout(look, POLL);
        return;
      }
      context.deleteSync(fence);
      this.#measured(performance.now() - began);
      this.busy = false;
      this.done();
      if (this.next) this.#begin();
      else this.told(false);
    };
    setTimeout(look, 1);
  }

  // The first pictures make shaders and say nothing about the rest.
  #measured(cost) {
    this.pictures += 1;
    if (this.pictures < 3) return;
    this.cost = this.cost ? 0.6 * this.cost + 0.4 * cost : cost;
    if (this.cost > SLOW && !this.slow) {
      this.slow = true;
      this.slowed();
    }
  }
}
