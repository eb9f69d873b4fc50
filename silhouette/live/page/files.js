// Saving, and what can be handed on: the scene's text, a figure, a report.
import { byId, download, say } from "./page.js";

export function files(app) {
  const { table, hand, tell } = app;
  byId("undo").addEventListener("click", () => hand.undo().catch(() => {}));
  byId("redo").addEventListener("click", () => hand.redo().catch(() => {}));
  byId("save").addEventListener("click", () => hand.save().catch(() => {}));
  byId("copy-text").addEventListener("click", () => done(app, "Copying …", copied));
  byId("figure").addEventListener("click", () => done(app, "Drawing the figure …", () => asked(app, "figure")));
  byId("report").addEventListener("click", () => done(app, "Writing the report …", () => asked(app, "report")));
  table.heard("saved", ({ saved }) => tell(`Saved${typeof saved === "string" ? ` as ${saved.split(/[\\/]/).at(-1)}` : ""}.`, true));

  async function copied() {
    const { text } = await table.connection.ask({ do: "text" });
    await navigator.clipboard.writeText(text);
    return "The scene is copied.";
  }
}

async function asked({ table }, what) {
  const [attacker, target] = table.chosen || [];
  const answer = await table.connection.ask({ do: what, ...(attacker && { attacker, target }) });
  download(answer);
  return `${answer.name} is ready.`;
}

async function done({ tell }, doing, act) {
  byId("files").open = false;
  tell(doing, true);
  try {
    tell(await act(), true);
  } catch (error) {
    tell(`That did not work: ${error.message}`, true);
  }
}

// Whether the file has what the table shows.
export function savingShown(table) {
  const state = !table.connected ? "lost" : table.sending || table.queue.length ? "busy" : table.saved ? "saved" : "kept";
  const words = { lost: "Not connected", busy: "Changing …", saved: "Saved", kept: "Not saved yet" };
  byId("saving").dataset.state = state;
  say(byId("saving"), words[state]);
  byId("undo").disabled = !table.connected || !table.canUndo;
  byId("redo").disabled = !table.connected || !table.canRedo;
  byId("save").disabled = !table.connected || Boolean(table.saved);
  byId("figure").disabled = !table.connected || !table.chosen;
  byId("report").disabled = byId("copy-text").disabled = !table.connected;
}
