// A finger or the mouse on a figure of a playable report takes it along, or turns it, as a second finger and the wheel do; beside
// it the view is turned, as always.
import { angleOf, directionOf, Grip, inSteps, isStill, Pointer, Wheel } from "./gestures.js";

export class Dragging {
  constructor(play) {
    this.play = play;
    const { viewer } = play.page;
    const frame = viewer.canvas.parentElement;
    const pointer = new Pointer(viewer);
    const [fingers, wheel] = [new Map(), new Wheel()];
    let press = null;
    const on = (type, act) => frame.addEventListener(type, act, { capture: true, passive: false });
    on("pointerdown", (event) => {
      if (event.target !== viewer.canvas || viewer.fromEye) return;
      if (press) press = this.#second(press, event, fingers);
      else if (event.button === 0) press = this.#pressed(event, pointer, fingers);
    });
    on("pointermove", (event) => {
      if (!press) return;
      const [x, y] = [event.clientX, event.clientY];
      press.isMoved ||= fingers.size > 1 || !isStill(event, press.from, x, y);
      if (!fingers.has(event.pointerId)) return;
      event.stopPropagation();
      fingers.set(event.pointerId, [x, y]);
      if (press.isMoved) this.#dragged(press, fingers, [x, y], event);
    });
    const released = (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size) return;
      if (press && !press.isMoved && event.type === "pointerup") this.#clicked(press.number, event);
      press = null;
    };
    on("pointerup", released);
    on("pointercancel", released);
    on("wheel", (event) => {
      const isOver = document.activeElement === viewer.canvas && !viewer.fromEye && this.play.piece && this.play.pieces[this.#hit(event, pointer).number] === this.play.piece;
      if (!isOver) return;
      event.preventDefault();
      event.stopPropagation();
      const [degrees] = wheel.turned(event);
      if (degrees) this.play.move(this.play.piece.at, this.play.piece.turn + degrees);
    });
  }

  // The number of the piece under a pointer, -1 for none, and the point of it there.
  #hit({ clientX, clientY }, pointer) {
    const { pieces } = this.play.page.stage;
    const shown = pieces.filter((piece) => piece.mesh && piece.group.visible);
    const hit = pointer.at(clientX, clientY).intersectObjects(shown.map((piece) => piece.mesh), false)[0];
    return { number: hit ? pieces.findIndex((piece) => piece.mesh === hit.object) : -1, point: hit?.point };
  }

  // A press that may be a click; of what it takes along also how.
  #pressed(event, pointer, fingers) {
    const { number, point } = this.#hit(event, pointer);
    const piece = this.play.pieces[number];
    const press = { number, from: [event.clientX, event.clientY] };
    if (!this.play.movable.includes(number) || (piece.kind === "terrain" && piece !== this.play.piece)) return press;
    this.#taken(event, fingers);
    this.play.page.viewer.canvas.focus({ preventScroll: true });
    const grip = new Grip((...place) => pointer.ground(...place), press.from, point.z, piece.at);
    return { ...press, grip, isTurn: this.play.turns || event.shiftKey, start: [...piece.at], turn: piece.turn, angle: null };
  }

  // A second finger turns what the first one holds; beside a piece both are the camera's.
  #second(press, event, fingers) {
    if (!press.grip) return { ...press, isMoved: true };
    this.#taken(event, fingers);
    if (fingers.size !== 2) return press;
    this.play.pick(press.number);
    return { ...press, isDone: true, turn: this.play.piece.turn, start: [...this.play.piece.at], angle: angleOf(fingers) };
  }

  // A click chooses what is to be moved; with Shift, whom that looks at.
  #clicked(number, { shiftKey }) {
    const chosen = this.play.pieces.indexOf(this.play.piece);
    const isPair = shiftKey && [chosen, number].every((model) => this.play.models.includes(model)) && chosen !== number;
    if (isPair) this.play.choosePair(chosen, number);
    else this.play.pick(number);
  }

  // A press that is not the camera's.
  #taken(event, fingers) {
    event.stopPropagation();
    event.preventDefault();
    this.play.page.viewer.canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  #dragged(press, fingers, [x, y], { altKey, shiftKey }) {
    this.play.pick(press.number);
    if (fingers.size > 1) {
      this.play.move(press.start, press.turn + inSteps(angleOf(fingers) - press.angle, altKey || shiftKey));
      return;
    }
    if (press.isDone) return; // the finger that is left of two
    const place = press.isTurn ? press.grip.ground(x, y, press.grip.height) : press.grip.to(x, y);
    if (!place) return;
    if (!press.isTurn) {
      this.play.move([...place, press.start[2]], press.turn);
      return;
    }
    const angle = directionOf(press.start, place);
    press.angle ??= angle;
    this.play.move(press.start, press.turn + inSteps(angle - press.angle, altKey));
  }
}
