// A scan that is handed over: chosen, or dropped on the table; it goes to the server in pieces.
import { byId } from "./page.js";

const AHEAD = 1 << 20; // bytes that may wait in the socket

export class Handing {
  constructor(app) {
    this.app = app;
    const field = byId("scan");
    byId("open-scan").addEventListener("click", () => field.click());
    field.addEventListener("change", () => {
      if (field.files[0]) this.#hand(field.files[0]);
      field.value = "";
    });
    const page = document.documentElement;
    page.addEventListener("dragover", (event) => {
      event.preventDefault();
      page.dataset.drop = "true";
    });
    page.addEventListener("dragleave", () => delete page.dataset.drop);
    page.addEventListener("drop", (event) => {
      event.preventDefault();
      delete page.dataset.drop;
      if (event.dataTransfer.files[0]) this.#hand(event.dataTransfer.files[0]);
    });
    app.table.heard("handed-over", ({ name, error }) => app.tell(error || `${name} is on the table.`, true));
  }

  async #hand(file) {
    const { tell, table } = this.app;
    byId("files").open = false;
    try {
      const { chunk } = await table.connection.ask({ do: "hand-over", name: file.name, size: file.size });
      for (let at = 0; at < file.size; at += chunk) {
        tell(`Handing over ${file.name}: ${Math.round((100 * at) / file.size)}\u00a0%`, true);
        await table.connection.send(await file.slice(at, at + chunk).arrayBuffer(), AHEAD);
      }
      tell(`${file.name} is handed over. Reading it takes a while …`, true);
    } catch (error) {
      tell(`${file.name} was not taken: ${error.message}`, true);
    }
  }
}
