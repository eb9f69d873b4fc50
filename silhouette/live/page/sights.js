// The eye and the arcs of the chosen pair's attacker: as the server last told them, and carried along as it moves.
import { turnedAbout } from "./lengths.js";

export class Sights {
  constructor(table) {
    this.table = table;
    this.found = null;
    table.heard("view", (found) => this.#came(found));
  }

  #came({ pair, pose, view }) {
    const { table } = this;
    if (pose !== table.pose || String(pair) !== String(table.chosen)) return;
    const { at, facing } = table.piece(pair[0]);
    const names = (numbers) => numbers.map((number) => table.pieces[number].name);
    this.found = { pair, view: { ...view, blockers: names(view.blockers), aside: names(view.aside) }, at, facing };
  }

  // What the stage is to show of the chosen pair; null where there is none.
  get view() {
    const { table, found } = this;
    if (!table.chosen) return null;
    const [attacker, target] = table.chosen;
    const shown = table.shown(table.piece(attacker));
    const known = found && String(found.pair) === String(table.chosen) ? this.#carried(shown) : {};
    return { attacker, target, blockers: [], aside: [], free: true, edges: [], eye: shown.eye, ...known };
  }

  #carried(shown) {
    const { view, at, facing } = this.found;
    const turned = facing === null || shown.facing === null ? 0 : shown.facing - facing;
    const carried = (point) => {
      const [x, y] = turnedAbout(point, at, turned);
      const high = point.length > 2 ? [point[2] + shown.at[2] - at[2]] : [];
      return [x + shown.at[0] - at[0], y + shown.at[1] - at[1], ...high];
    };
    const about = (edge) => turnedAbout(edge, [0, 0], turned);
    const arcs = view.arcs?.map(([a, b, c, d]) => [...about([a, b]), ...about([c, d])]);
    const edges = view.lines.filter(({ kind }) => kind === "arc").map(({ points }) => points.map(carried));
    const { blockers, aside, free } = view;
    return { blockers, aside, free, edges, eye: carried(view.eye), ...(arcs && { arcs, apex: carried(view.apex) }) };
  }
}
