// What the signs, lines and colours on the table mean: of those that are there now, beside the table, to be folded away.
import { byId } from "./page.js";
import { ARC, LINES } from "./verdicts.js";

const { gangEntries, levelEntries, lineEntry, listed, partEntries } = window.silhouetteViewer;

const PLACE = "M17 2L26 7L17 12L8 7Z";
const RING = "M3 7a14 5 0 1 0 28 0a14 5 0 1 0-28 0";

export class Legend {
  constructor(app) {
    this.app = app;
    byId("legend").addEventListener("toggle", () => this.shown());
  }

  // While a hand moves, or verdicts come, it stays as it was.
  shown() {
    const { table } = this.app;
    if (!byId("legend").open || !table.settled) return;
    listed(byId("legend-signs"), [...this.#marks(), ...this.#figures(), ...gangEntries(table.models)]);
  }

  // Of each line: what it means; of verdicts with their signs.
  #marks() {
    const { app, app: { table, tools, sights } } = this;
    const entries = [];
    const line = (...about) => entries.push(lineEntry(...about));
    const { selected, chosen, results } = table;
    if (selected) line("selected", { colour: "blue", width: 3 }, `${selected}, which is selected; the tip shows where it faces`, RING);
    const other = (chosen || []).find((name) => name !== selected);
    if (other && !tools.close) line("chosen", { colour: "ink", width: 2 }, `${other}, the other of the chosen pair`, RING);
    if (tools.close) return entries;
    entries.push(...levelEntries(results.known.map(({ verdict }) => verdict), table.levels));
    if (results.known.length) line("arrow", { colour: "soft-ink", width: 2 }, "from who looks to who is seen; thick for the chosen pair", "M2 7H32M25 3L32 7L25 11");
    if (sights.view?.edges?.length) line("arc", ARC, `edge of what ${sights.view.attacker} faces`);
    if (tools.limit && tools.limit.name === selected) {
      line("limit", { colour: "green", width: 2 }, "how far it may move", RING);
      line("too far", { colour: "red", width: 2 }, "the same, where it has moved too far", RING);
    }
    if (tools.nearest?.length) line("nearest", { colour: LINES[tools.nearest[0].level].colour, width: 2.5 }, "nearest place with such cover", PLACE);
    if (tools.ruler.to || tools.ruler.from) line("ruler", { colour: "ink", width: 2.5 }, "ruler", "M2 2V12M2 7H32M32 2V12");
    if (tools.asked) line("asked", { colour: "orange", width: 3 }, "what the scan asks about", PLACE);
    if (tools.shelf?.bases.length) line("base", { colour: "ink", width: 1.5, dash: [0.5, 0.4] }, "base that the scan shows", RING);
    if (app.shelf.placing) line("placing", { colour: "blue", width: 3 }, "where it would stand; green on a base that the scan shows", RING);
    return entries;
  }

  // The colours of the pieces, which the plan and the view in 3D have not in common.
  #figures() {
    const { app, app: { table, views, sights } } = this;
    const flat = app.view !== views.deep;
    const { view } = sights;
    const parts = [];
    if (view && !app.tools.close) {
      parts.push(["attacker", `${view.attacker}, who looks`]);
      if (flat) parts.push([view.free ? "seen" : "obscured", `${view.target}, ${view.free ? "seen at least in part" : "not seen"}`]);
      else parts.push(["seen", `what is seen of ${view.target}`], ["obscured", `what is obscured of ${view.target}`]);
      if (!flat && view.arcs) parts.push(["outside"]);
      if (view.blockers.length) parts.push(["blocker"]);
      if (!flat && view.aside.length) parts.push(["aside"]);
    }
    if (table.models.length > (view ? 2 : 0)) parts.push(["model", "other models"]);
    if (table.pieces.some(({ kind }) => kind === "terrain")) parts.push(["terrain", "terrain"]);
    if (!flat) parts.push(["ghost", "not counted: bases and parts left out"]);
    return partEntries(parts, flat ? " flat" : "");
  }
}
