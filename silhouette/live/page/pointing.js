// Mouse, pen and fingers on the table: select, drag, turn, measure. What is not about a piece is left to the camera.
const { angleOf, directionOf, Grip, inSteps, isStill, Wheel } = window.silhouetteViewer;

const BEYOND = 150; // mm that a piece may leave the table

export class Pointing {
  constructor(holder, app) {
    Object.assign(this, { holder, app, pointers: new Map(), press: null, wheel: new Wheel() });
    const on = (type, act, passive = true) => holder.addEventListener(type, (event) => act(event), { capture: true, passive });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#moved(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", (event) => this.#up(event));
    on("wheel", (event) => this.#wheel(event), false);
    on("contextmenu", (event) => event.preventDefault(), false);
    holder.addEventListener("pointerleave", () => this.#hovered(null));
  }

  #named(event) {
    return event.target.dataset?.name || null;
  }

  #down(event) {
    const { app, pointers } = this;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (pointers.size > 1) return this.#second(event);
    const hit = app.view.at(event.clientX, event.clientY);
    const { ruler } = app.tools;
    if (ruler.on && event.button === 0) {
      if (!hit) return undefined;
      this.#taken(event, { kind: "ruler", from: [event.clientX, event.clientY] });
      return ruler.press(hit.point);
    }
    if (app.shelf.placing && event.button === 0) {
      this.#taken(event, { kind: "place" });
      return app.shelf.follow(hit?.point || null, event.altKey);
    }
    if (app.tagging.kind === "box") {
      this.#taken(event, { kind: "box", from: [event.clientX, event.clientY] });
      return undefined;
    }
    const name = this.#named(event) || hit?.name || null;
    const piece = name && app.table.piece(name);
    const press = { kind: "click", name, from: [event.clientX, event.clientY] };
    const movable = piece && !app.table.looks && !app.tagging.piece && (piece.kind !== "terrain" || app.table.selected === name);
    if (!movable || event.button !== 0) {
      this.press = press;
      return undefined;
    }
    const height = hit?.name === name ? hit.point[2] : app.table.shown(piece).at[2];
    return this.#taken(event, { ...press, movable, height, isTurn: event.shiftKey });
  }

  // A gesture that is not the camera's.
  #taken(event, press) {
    event.stopPropagation();
    this.holder.setPointerCapture(event.pointerId);
    this.press = press;
  }

  // A second finger turns the piece that the first one holds.
  #second(event) {
    const { press } = this;
    if (!press?.movable) {
      if (press?.kind === "ruler") this.app.tools.ruler.drop();
      this.press = null;
      return;
    }
    event.stopPropagation();
    this.holder.setPointerCapture(event.pointerId);
    if (press.kind !== "drag") this.#begun();
    const { facing, ahead } = this.app.table.shown(this.app.table.piece(press.name));
    Object.assign(press, { kind: "turn", isTurn: false, angle: angleOf(this.pointers), facing: facing ?? ahead });
  }

  #begun() {
    const { press, app } = this;
    const { table } = app;
    const piece = table.piece(press.name);
    if (!piece) return;
    if (table.selected !== press.name) table.select(press.name);
    const grip = new Grip((...place) => app.view.ground(...place), press.from, press.height, table.shown(piece).at);
    Object.assign(press, { kind: "drag", drag: app.hand.newDrag(), grip });
    const { facing, ahead } = table.shown(piece);
    if (press.isTurn) Object.assign(press, { kind: "turn", angle: null, facing: facing ?? ahead });
    app.began(press.name);
  }

  #moved(event) {
    const { press, pointers, app } = this;
    if (!pointers.has(event.pointerId)) return this.#hovered(event);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (!press) return undefined;
    const [x, y] = [event.clientX, event.clientY];
    if (press.kind === "click" && !isStill(event, press.from, x, y)) {
      if (press.movable) this.#begun();
      else press.kind = "camera";
    }
    if (press.kind === "drag") {
      event.stopPropagation();
      this.#dragged(x, y, event.altKey);
    } else if (press.kind === "place") {
      event.stopPropagation();
      app.shelf.follow(app.view.at(x, y)?.point || null, event.altKey);
    } else if (press.kind === "turn" && press.isTurn) {
      event.stopPropagation();
      this.#turned(x, y, event.altKey);
    } else if (press.kind === "turn" && pointers.size > 1) {
      event.stopPropagation();
      const turned = press.facing + angleOf(pointers) - press.angle;
      app.hand.face(press.name, inSteps(turned, event.altKey || event.shiftKey), press.drag);
    } else if (press.kind === "box") {
      event.stopPropagation();
      app.boxed(press.from, [x, y]);
    } else if (press.kind === "ruler") {
      event.stopPropagation();
      this.#ruled(event, press, x, y);
    }
    return undefined;
  }

  #ruled(event, press, x, y) {
    press.moved ||= !isStill(event, press.from, x, y);
    const hit = press.moved && this.app.view.at(x, y);
    if (hit) this.app.tools.ruler.follow(hit.point);
  }

  // It turns as the point under the pointer goes round it.
  #turned(x, y, isFree) {
    const { press, app } = this;
    const place = press.grip.ground(x, y, press.grip.height);
    if (!place) return;
    const angle = directionOf(app.table.shown(app.table.piece(press.name)).at, place);
    press.angle ??= angle;
    app.hand.face(press.name, inSteps(press.facing + angle - press.angle, isFree), press.drag).catch(() => {});
  }

  #dragged(x, y, apart) {
    const { press, app } = this;
    const place = press.grip.to(x, y);
    if (!place) return;
    const [low, high] = app.table.span;
    const at = place.map((value, axis) => Math.min(Math.max(value, low[axis] - BEYOND), high[axis] + BEYOND));
    const base = !apart && app.table.piece(press.name)?.kind === "fighter" ? app.shelf.base(at, press.name) : null;
    app.hand.drag(press.name, base ? base.at.slice(0, 2) : at, press.drag, base && app.shelf.doubt).catch(() => {});
  }

  #up(event) {
    const { press, pointers, app } = this;
    pointers.delete(event.pointerId);
    if (!press || pointers.size) return;
    this.press = null;
    app.boxed(null);
    if (press.kind === "box" && event.type === "pointerup") app.tagging.boxed(press.from, [event.clientX, event.clientY]);
    if (press.kind === "click" && event.type === "pointerup") this.#clicked(press, event);
    if (press.kind === "place" && event.type === "pointerup") app.shelf.put();
    if (press.kind === "ruler" && event.type === "pointerup") app.tools.ruler.release(press.moved);
    if (press.kind === "ruler" && event.type !== "pointerup") app.tools.ruler.drop();
    if (press.kind !== "drag" && press.kind !== "turn") return;
    app.table.let(press.name);
    app.ended(press.name);
  }

  #clicked({ name }, event) {
    if (this.app.tagging.kind) {
      this.app.tagging.clicked(this.app.view.at(event.clientX, event.clientY));
      return;
    }
    const { table } = this.app;
    const model = name && table.piece(name)?.kind !== "terrain";
    const pair = event.shiftKey && model && table.selected && table.selected !== name && table.results.pairs.length;
    if (pair) table.choose([table.selected, name]);
    else table.select(name);
  }

  #hovered(event) {
    if (this.waiting) cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => {
      const hit = event && this.app.view.at(event.clientX, event.clientY);
      const name = event && (this.#named(event) || hit?.name || null);
      const { ruler } = this.app.tools;
      if (ruler.open && !ruler.cursor && !this.press && hit) ruler.follow(hit.point);
      if (this.app.shelf.placing && !this.app.shelf.press && !this.press && event) this.app.shelf.follow(hit?.point || null, event.altKey);
      this.holder.dataset.over = name && !ruler.on ? "piece" : "";
      this.app.hovered(name);
    });
  }

  #wheel(event) {
    const { app } = this;
    const { selected } = app.table;
    const over = selected && (this.#named(event) || app.view.at(event.clientX, event.clientY)?.name);
    if (!selected || over !== selected || app.table.looks || app.tagging.piece) return;
    event.preventDefault();
    event.stopPropagation();
    const [degrees, isFree] = this.wheel.turned(event);
    if (degrees) app.hand.turn(selected, degrees, !isFree).catch(() => {});
  }
}
