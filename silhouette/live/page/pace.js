// When the next picture is drawn: after the one before is done, so that slow graphics never hold up verdicts.
const SLOW = 70; // ms of a picture
const RESTS = 3; // of a slow picture's time, before the next
const POLL = 8; // ms

export class Pace {
  constructor(slowed, told) {
    this.slowed = slowed;
    this.told = told; // whether there is anything left to draw
    this.slow = false;
    this.cost = 0;
    this.pictures = 0;
    this.busy = false;
    this.ready = 0; // the time before which no slow picture begins
    this.next = null;
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
    return true;
  }

  #begin() {
    const begin = () => requestAnimationFrame(() => this.next?.());
    const wait = this.ready - performance.now();
    if (wait > 0) setTimeout(begin, wait);
    else begin();
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
    this.ready = this.slow ? performance.now() + RESTS * this.cost : 0;
  }
}
