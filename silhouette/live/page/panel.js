// The verdict on the chosen pair, in words, and the list of everyone: whom the selected model sees, and who sees it.
import { inches } from "./lengths.js";
import { byId, made, say } from "./page.js";
import { CALLS, CLASSES, filled, headline, inWords, sentence, shareOf, SIGNS, upper } from "./verdicts.js";

const { between, listed, lookOf, partEntries } = window.silhouetteViewer;

const PAUSE = 250; // ms
const FIRST = "The page's own first answer; the verdict follows.";

export class Panel {
  constructor(app) {
    this.app = app;
    this.rows = new Map();
    byId("reverse").addEventListener("click", () => this.reverse());
  }

  shown() {
    this.#pair();
    this.#list();
  }

  reverse() {
    const { table } = this.app;
    if (table.chosen) table.choose([...table.chosen].reverse());
  }

  // The next pair of the selected model in the order of the list.
  step(by) {
    const { table } = this.app;
    const { pairs } = table.results;
    if (!pairs.length) return;
    const at = pairs.findIndex((pair) => String(pair) === String(table.chosen));
    table.choose(pairs[(at + by + pairs.length) % pairs.length]);
  }

  #pair() {
    const { table } = this.app;
    const { chosen } = table;
    const section = byId("pair");
    section.hidden = !chosen;
    if (!chosen) return;
    const row = table.row(chosen);
    const isFirst = Boolean(row?.isFirst);
    const ruled = row && !isFirst && this.app.odds.ruled(chosen);
    const level = row && table.levels[ruled ? ruled.call : row.verdict];
    section.setAttribute("aria-busy", String(!row || isFirst));
    section.dataset.pair = JSON.stringify(chosen);
    say(byId("pair-title"), headline(...chosen, row));
    const plate = byId("verdict-plate");
    plate.className = `verdict ${CLASSES[level] || ""}${isFirst ? " first" : ""}`;
    const word = row && (ruled && ruled.call !== row.verdict ? ruled.call : inWords(row));
    say(plate, row ? `${SIGNS[level] || ""} ${word}${isFirst ? " …" : ""}` : "…");
    say(byId("share"), row ? shareOf(row) && `${shareOf(row)} obscured` : "");
    say(byId("reason"), row ? isFirst ? FIRST : upper((ruled || row).reason || "") : "");
    this.#close(row, ruled, chosen);
    this.#eye(table.piece(chosen[1]));
    const back = table.results.row([...chosen].reverse());
    const turned = back ? sentence(back) : `${chosen[1]} looks at ${chosen[0]}`;
    say(byId("reverse"), `⇄ ${turned}`);
  }

  // What the colours of the eye's picture mean.
  #eye(target) {
    const { sights, table } = this.app;
    const { arcs, blockers } = sights.view;
    const shown = { seen: true, obscured: true, outside: arcs, blocker: blockers.length, ghost: table.shapes.known.get(target.shape)?.ghosts };
    listed(byId("eye-colours"), partEntries(Object.entries(shown).flatMap(([part, there]) => (there ? [[part]] : []))));
  }

  // Where nobody can tell which verdict it is: what players do then, and on a line of its own what it could be.
  #close(row, ruled, chosen) {
    const sentenceOf = (words) => `${upper(words)}.`;
    const lines = row?.marginal
      ? [CALLS[ruled ? "byOdds" : "call"], filled(CALLS.could, { could: (row.could_be || []).join(" or ") })].map(sentenceOf)
      : [row && !row.isFirst && this.app.odds.handNote(chosen)].filter(Boolean);
    if (row?.agreed) lines.push(`The players agreed: ${row.agreed.verdict}${row.agreed.why ? ` (${row.agreed.why})` : ""}.`);
    const held = byId("close");
    held.hidden = !lines.length;
    if (held.textContent === lines.join(" ")) return;
    const [first, ...more] = lines;
    const rest = more.map((line) => made("span", {}, line));
    held.replaceChildren(...(row?.marginal ? [made("strong", {}, first), " ", ...rest] : lines));
  }

  #list() {
    const { table } = this.app;
    const selected = table.results.pairs.length ? table.selected : null;
    byId("intro").hidden = Boolean(selected);
    say(byId("everyone-title"), selected ? `${selected} and everyone` : "Models on the table");
    this.#heads(selected);
    const body = byId("list").tBodies[0];
    const others = table.models.filter(({ name }) => name !== selected);
    const outline = selected && table.shapes.outline(table.shown(table.piece(selected)));
    const wanted = new Set(others.map(({ name }) => name));
    for (const [name, cells] of this.rows) {
      if (wanted.has(name) && cells.wide === Boolean(selected)) continue;
      cells.line.remove();
      this.rows.delete(name);
    }
    others.forEach((piece, index) => {
      const cells = this.rows.get(piece.name) || this.#row(piece.name, Boolean(selected));
      if (body.children[index] !== cells.line) body.insertBefore(cells.line, body.children[index] || null);
      say(cells.gang, piece.gang || "");
      cells.gang.className = lookOf(table.models, piece.gang)?.className || "";
      if (!selected) return;
      this.#cell(cells.sees, [selected, piece.name]);
      this.#cell(cells.seen, [piece.name, selected]);
      this.#apart(cells, outline, table.shapes.outline(table.shown(piece)));
    });
  }

  // From base to base; while a hand moves, not for every place of it.
  #apart(cells, outline, there) {
    const about = `${outline[0]} ${outline[1]} ${there[0]} ${there[1]}`;
    const now = performance.now();
    if (cells.about === about || (this.app.table.hands.size && now - (cells.time || 0) < PAUSE)) return;
    Object.assign(cells, { about, time: now });
    say(cells.away, outline.length && there.length ? inches(between(outline, there)) : "");
  }

  #heads(selected) {
    const head = byId("list").tHead;
    const words = selected ? ["Model", `${selected} sees it`, `It sees ${selected}`, "Apart"] : ["Model"];
    if (head.textContent === words.join("")) return;
    head.replaceChildren(made("tr", {}, ...words.map((word) => made("th", { scope: "col" }, word))));
  }

  #row(name, wide) {
    const { table } = this.app;
    const gang = made("small");
    const choose = made("button", { type: "button", className: "name" }, name);
    choose.addEventListener("click", () => table.select(name));
    const line = made("tr", {}, made("th", { scope: "row" }, choose, gang));
    const cells = { line, gang, wide };
    if (wide) {
      for (const way of ["sees", "seen"]) {
        cells[way] = made("button", { type: "button", className: "verdict" });
        line.append(made("td", {}, cells[way]));
        cells[way].addEventListener("click", () => table.choose(JSON.parse(cells[way].dataset.pair)));
      }
      cells.away = made("td", { className: "away" });
      line.append(cells.away);
    }
    this.rows.set(name, cells);
    return cells;
  }

  #cell(button, pair) {
    const { table } = this.app;
    const row = table.row(pair);
    const chosen = String(pair) === String(table.chosen);
    button.dataset.pair = JSON.stringify(pair);
    button.setAttribute("aria-pressed", String(chosen));
    button.setAttribute("aria-busy", String(!row || Boolean(row.isFirst)));
    if (!row) {
      const none = table.results.settled; // the rules have no verdict on this pair
      if (none) button.removeAttribute("aria-busy");
      button.className = `verdict ${none ? "none" : ""}`;
      say(button, none ? "–" : "…");
      button.removeAttribute("aria-label");
      return;
    }
    const level = table.levels[row.verdict];
    button.className = `verdict ${CLASSES[level] || ""}${row.isFirst ? " first" : ""}`;
    const word = row.in_arc === false ? "out of arc" : row.verdict;
    const hand = !row.isFirst && this.app.odds.byHand(pair).length > 0;
    const words = `${SIGNS[level] || ""} ${word}${row.marginal ? "?" : hand ? " ±" : ""}${row.isFirst ? " …" : ""}`;
    const part = level === "blocked" ? "" : shareOf(row);
    const text = part ? `${words} ${part}` : words;
    if (button.textContent === text) return;
    button.replaceChildren(words, ...(part ? [" ", made("span", { className: "part" }, part)] : []));
    button.setAttribute("aria-label", `${sentence(row)}${row.marginal ? `, ${CALLS.close}` : hand ? ", placed by hand" : ""}`);
  }
}
