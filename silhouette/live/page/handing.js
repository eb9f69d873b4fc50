// Files that are dropped on the page or chosen: meshes become pieces, a scan becomes the table; each has a card meanwhile.
import { byId, made, say } from "./page.js";
import { ENDINGS, peeked } from "./peeking.js";
import { reading } from "./reading.js";

const AHEAD = 1 << 20; // bytes that may wait in the socket
const LARGEST = 512; // MiB
const KINDS = { fighter: "A figure", vehicle: "A vehicle", terrain: "Terrain", scan: "A scan of the table" };

export class Handing {
  constructor(holder, app) {
    Object.assign(this, { holder, app, going: Promise.resolve(), waiting: null, wanted: null });
    const field = byId("file");
    byId("open-file").addEventListener("click", () => field.click());
    field.addEventListener("change", () => {
      for (const file of field.files) this.#came(file, null);
      field.value = "";
    });
    this.#drops(document.documentElement);
    app.table.heard("handed-over", (event) => this.waiting?.(event));
    app.table.heard("wanted", (event) => this.wanted?.(event));
    app.table.heard("lost", () => this.waiting?.({ error: "the connection was lost" }));
  }

  #drops(page) {
    page.addEventListener("dragover", (event) => {
      event.preventDefault();
      page.dataset.drop = "true";
    });
    page.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) delete page.dataset.drop;
    });
    page.addEventListener("drop", (event) => {
      event.preventDefault();
      delete page.dataset.drop;
      const on = this.holder.contains(event.target) && this.app.view.ground(event.clientX, event.clientY, 0);
      for (const file of event.dataTransfer.files) this.#came(file, on || null);
    });
  }

  opened() {
    say(byId("open-file"), this.app.table.looks ? "Hand over a scan …" : "Add a mesh or a scan …");
  }

  // A card for a file: what it is, then how far it has come.
  async #came(file, place) {
    const { app } = this;
    const told = made("p", { className: "small" });
    const bar = made("progress", { max: 1, ariaLabel: `${file.name}: how much has been sent` });
    bar.hidden = true;
    const rest = made("div", { className: "row answers" });
    const card = { file, place, told, bar, rest, line: made("li", {}, made("p", {}, file.name), told, bar, rest) };
    byId("arrivals").querySelector("ul").append(card.line);
    byId("arrivals").hidden = false;
    const refused = refusalOf(file);
    if (refused) this.#failed(card, refused);
    else if (app.table.looks) this.#handed(card, "scan");
    else this.#asked(card, await peeked(file));
  }

  #asked(card, { triangles, points, scan }) {
    const { told, rest, file } = card;
    const size = points ? "Points alone" : triangles ? `${triangles.toLocaleString("en")} triangle${triangles === 1 ? "" : "s"}` : `${Math.max(file.size / 2 ** 20, 0.1).toFixed(1)} MB`;
    say(told, `${size}. What is it? A scan becomes a table of its own.`);
    const kinds = points ? ["scan"] : scan ? ["scan", "terrain", "fighter", "vehicle"] : ["fighter", "vehicle", "terrain", "scan"];
    const buttons = kinds.map((kind, index) => {
      const likely = index === 0 && (scan || points);
      const words = [KINDS[kind], ...(likely && kinds.length > 1 ? [made("small", {}, " (likeliest)")] : [])];
      const button = made("button", { type: "button", className: likely ? "likely" : "" }, ...words);
      button.addEventListener("click", () => this.#handed(card, kind));
      return button;
    });
    rest.replaceChildren(...buttons, this.#away(card, "Cancel"));
    this.app.tell(`${file.name}: what is it?`);
    buttons[0].focus({ preventScroll: true });
    card.line.scrollIntoView({ block: "nearest" });
  }

  #away(card, word) {
    const button = made("button", { type: "button" }, word);
    button.addEventListener("click", () => this.#gone(card));
    return button;
  }

  #gone({ line }) {
    line.remove();
    byId("arrivals").hidden = !byId("arrivals").querySelector("li");
  }

  #failed(card, words) {
    card.bar.hidden = true;
    card.told.className = "wrong";
    say(card.told, words);
    card.rest.replaceChildren(this.#away(card, "Close"));
    this.app.tell(`${card.file.name}: ${words}`);
  }

  // One file goes over at a time, in the order in which they were said to be something.
  #handed(card, kind) {
    card.rest.replaceChildren();
    say(card.told, "Waits for the one before");
    this.going = this.going.then(async () => {
      try {
        const file = await this.#sent(card);
        await (kind === "scan" ? this.#scanned(card, file) : this.#added(card, kind, file));
        this.#gone(card);
      } catch (error) {
        this.#failed(card, error.message.replace(/^[^:]*[/\\]([^/\\:]+: )/, "$1")); // without its folder
      }
    });
  }

  // Sends a file in pieces; gives the name under which it lies in the scene's folder.
  async #sent({ file, bar, told }) {
    const { connection } = this.app.table;
    const { chunk } = await connection.ask({ do: "hand-over", name: file.name, size: file.size });
    const kept = new Promise((done, failed) => {
      this.waiting = ({ name, file: as, error }) => {
        if (error) failed(new Error(error));
        else if (name === file.name) done(as);
      };
    });
    kept.catch(() => {});
    bar.hidden = false;
    for (let at = 0; at < file.size; at += chunk) {
      bar.value = at / file.size;
      say(told, `Handing it over: ${Math.round((100 * at) / file.size)} %`);
      await connection.send(await file.slice(at, at + chunk).arrayBuffer(), AHEAD);
    }
    bar.value = 1;
    return kept.finally(() => (this.waiting = null));
  }

  async #added({ told, place, file: { name: named } }, kind, file) {
    const { table, tell } = this.app;
    say(told, "Putting it on the table …");
    const name = freeName(named.slice(0, named.lastIndexOf(".")), table.pieces);
    const [[left, near], [right, far]] = table.span;
    const inside = (value, low, high) => Math.round(Math.min(Math.max(value, low), high) * 100) / 100;
    const at = place ? [inside(place[0], left, right), inside(place[1], near, far)] : [inside((left + right) / 2, left, right), inside((near + far) / 2, near, far)];
    await table.edit([{ add: kind, name, mesh: file, at }]);
    table.select(name);
    tell(`${name} is on the table.`, true);
  }

  async #scanned({ told, bar }, file) {
    const { table, tell } = this.app;
    bar.removeAttribute("value");
    const begun = () => reading((seconds) => say(told, `Reading the scan: ${seconds} s. That takes a while; go on meanwhile.`));
    let stop = begun();
    this.wanted = ({ answer, file: wanted }) => {
      if (wanted !== file) return;
      stop();
      if (answer === null) say(told, "A player is asked whether it may become the table.");
      if (answer) stop = begun();
    };
    try {
      table.take(await table.connection.ask({ do: "scan", file }));
    } finally {
      this.wanted = null;
      stop();
    }
    const asked = table.questions.length;
    tell(`The scan is the table now${asked ? `; it asks ${asked === 1 ? "one thing" : `${asked} things`}` : ""}.`, true);
  }
}

function refusalOf({ name, size }) {
  if (!ENDINGS.some((ending) => name.toLowerCase().endsWith(ending))) return `That is no mesh file; it must end in one of ${ENDINGS.join(", ")}.`;
  if (size > LARGEST * 2 ** 20) return `It is larger than ${LARGEST} MiB, and is not taken.`;
  return size ? "" : "It is empty.";
}

export function freeName(like, pieces) {
  const taken = new Set(pieces.map(({ name }) => name));
  let [name, number] = [like, 1];
  while (taken.has(name)) name = `${like} ${(number += 1)}`;
  return name;
}
