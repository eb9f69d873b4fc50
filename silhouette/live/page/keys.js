// The keyboard on the table, and the keys that hold everywhere on the page.
const { ARROWS, stepOf, TURN } = window.silhouetteViewer;
const VIEW_TURN = Math.PI / 24;

export function keys(holder, app) {
  document.addEventListener("keydown", (event) => everywhere(event, app));
  holder.addEventListener("keydown", (event) => {
    if (onTable(event, app)) event.preventDefault();
  });
}

function everywhere(event, app) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const writing = event.target.matches?.("input, textarea");
  const key = event.key.toLowerCase();
  const act = {
    z: () => !writing && (event.shiftKey ? app.hand.redo() : app.hand.undo()),
    y: () => !writing && app.hand.redo(),
    s: () => app.hand.save(),
  }[key];
  const done = act?.();
  if (!done) return;
  event.preventDefault();
  done.catch(() => {});
}

function onTable(event, app) {
  const { table, hand, view } = app;
  const name = table.selected;
  const { key, altKey, shiftKey } = event;
  const control = event.ctrlKey || event.metaKey;
  if (app.shelf.key(event)) return true;
  if (key === "Tab") return next(app, shiftKey ? -1 : 1);
  if (ARROWS[key]) return arrows(event, app);
  if (app.tools.ruler.on && ofRuler(event, app.tools.ruler)) return true;
  const turned = { "[": 1, "]": -1, "{": 1, "}": -1 }[key];
  const free = altKey || shiftKey;
  const ofPiece = {
    PageUp: () => hand.floor(name, 1),
    PageDown: () => hand.floor(name, -1),
    Delete: () => hand.delete(name),
    ...(turned && { [key]: () => hand.turn(name, turned * (free ? 1 : TURN), !free) }),
    ...(control && { d: () => hand.copy(name) }),
  };
  if (name && ofPiece[key]) {
    ofPiece[key]().catch(() => {});
    return true;
  }
  if (control || altKey) return false;
  const acts = {
    Escape: () => (table.selected ? table.select(null) : document.getElementById("panel").focus()),
    "+": () => view.nearer(),
    "=": () => view.nearer(),
    "-": () => view.farther(),
    w: () => view.whole(),
    a: () => view.above(),
    v: () => app.views.toggle(),
    r: () => app.tools.ruler.toggle(),
    m: () => app.cover.toggle(),
    n: () => app.panel.step(1),
    p: () => app.panel.step(-1),
    x: () => app.panel.reverse(),
  };
  const act = acts[key.length === 1 ? key.toLowerCase() : key];
  act?.();
  return Boolean(act);
}

// Models first, then terrain; past the last the focus goes on.
function next({ table }, by) {
  const order = [...table.models, ...table.pieces.filter(({ kind }) => kind === "terrain")].map(({ name }) => name);
  const at = order.indexOf(table.selected);
  const to = at < 0 ? (by > 0 ? 0 : -1) : at + by;
  if (!order[to]) return false;
  table.select(order[to]);
  return true;
}

function ofRuler({ key, shiftKey }, ruler) {
  const acts = {
    Enter: () => ruler.put(),
    Escape: () => ruler.toggle(),
    PageUp: () => ruler.raise(stepOf(shiftKey)),
    PageDown: () => ruler.raise(-stepOf(shiftKey)),
  };
  acts[key]?.();
  return Boolean(acts[key]);
}

function arrows({ key, shiftKey, ctrlKey, metaKey }, { table, hand, shelf, tools, view }) {
  const [axis, way] = ARROWS[key];
  if ((!table.selected && !tools.ruler.on && !shelf.placing) || ctrlKey || metaKey) {
    if (axis === "right") view.turned(-way * VIEW_TURN, 0);
    else view.turned(0, way * VIEW_TURN);
    return true;
  }
  const [dx, dy] = view.axes()[axis];
  const far = way * stepOf(shiftKey);
  if (shelf.placing) shelf.step(dx * far, dy * far);
  else if (tools.ruler.on) tools.ruler.step(dx * far, dy * far);
  else hand.step(table.selected, [dx * far, dy * far]).catch(() => {});
  return true;
}
