// What keys do on the table, and everywhere on the page; which key does what, the viewer's keys.js says.
import { byId } from "./page.js";

const { acted, keysListed, ofView, stepOf, TURN, WAYS } = window.silhouetteViewer;
const VIEW_WAYS = { left: "viewLeft", right: "viewRight", away: "viewAway", near: "viewNear" };

export function keys(holder, app) {
  document.addEventListener("keydown", (event) => acted(event, ofPage(app)));
  holder.addEventListener("keydown", (event) => acted(event, ofTable(app)));
  keysListed(byId("keys-told"), Object.keys({ ...ofPage(app), ...ofTable(app) }));
}

function ofPage({ hand }) {
  const undone = (act) => () => !document.activeElement.matches("input, textarea") && done(act());
  return { undo: undone(() => hand.undo()), redo: undone(() => hand.redo()), save: () => done(hand.save()) };
}

// Whatever fails is told elsewhere.
function done(promise) {
  promise.catch(() => {});
  return true;
}

// What keys do is another thing while a model waits for its place, or the ruler is there.
function ofTable(app) {
  const { shelf, tools, view } = app;
  const { ruler } = tools;
  const acts = { ...ofView(view), ...ofApp(app), ...ofPiece(app) };
  for (const way of Object.keys(WAYS)) acts[way] = (isFine) => arrow(way, isFine, app);
  if (ruler.on) Object.assign(acts, ofRuler(ruler));
  if (shelf.placing) Object.assign(acts, ofShelf(shelf));
  return acts;
}

function ofApp(app) {
  const { table, view } = app;
  return {
    next: () => next(table, 1),
    previous: () => next(table, -1),
    leave: () => (table.selected ? table.select(null) : byId("panel").focus()),
    whole: () => view.whole(),
    plan: () => app.views.toggle(),
    ruler: () => app.tools.ruler.toggle(),
    put: () => false,
    map: () => app.cover.toggle(),
    nextPair: () => app.panel.step(1),
    previousPair: () => app.panel.step(-1),
    reverse: () => app.panel.reverse(),
  };
}

function ofPiece({ table, hand }) {
  const name = table.selected;
  const acts = {
    up: () => hand.floor(name, 1),
    down: () => hand.floor(name, -1),
    delete: () => hand.delete(name),
    copy: () => hand.copy(name),
    anticlockwise: (isFine) => hand.turn(name, isFine ? 1 : TURN, !isFine),
    clockwise: (isFine) => hand.turn(name, isFine ? -1 : -TURN, !isFine),
  };
  return Object.fromEntries(Object.entries(acts).map(([key, act]) => [key, (isFine) => Boolean(name) && done(act(isFine))]));
}

function ofRuler(ruler) {
  return {
    put: () => ruler.put(),
    leave: () => ruler.toggle(),
    up: (isFine) => ruler.raise(stepOf(isFine)),
    down: (isFine) => ruler.raise(-stepOf(isFine)),
  };
}

function ofShelf(shelf) {
  return { put: () => shelf.put(), leave: () => shelf.cancel(), next: () => shelf.next(1), previous: () => shelf.next(-1) };
}

// Models first, then terrain; past the last the focus goes on.
function next(table, by) {
  const order = [...table.models, ...table.pieces.filter(({ kind }) => kind === "terrain")].map(({ name }) => name);
  const at = order.indexOf(table.selected);
  const to = at < 0 ? (by > 0 ? 0 : -1) : at + by;
  if (!order[to]) return false;
  table.select(order[to]);
  return true;
}

function arrow(way, isFine, { table, hand, shelf, tools, view }) {
  if (!table.selected && !tools.ruler.on && !shelf.placing) {
    ofView(view)[VIEW_WAYS[way]]();
    return;
  }
  const [axis, sign] = WAYS[way];
  const [dx, dy] = view.axes()[axis].map((value) => sign * value * stepOf(isFine));
  if (shelf.placing) shelf.step(dx, dy);
  else if (tools.ruler.on) tools.ruler.step(dx, dy);
  else done(hand.step(table.selected, [dx, dy]));
}
