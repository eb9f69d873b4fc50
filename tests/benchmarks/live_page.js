// Beside the page that is measured, before its own scripts: when the hand moved, what was sent then, and what came of it.
(() => {
  const now = () => performance.timeOrigin + performance.now();
  const log = { moves: [], edits: [], answers: {}, told: [], asked: [], first: [], let: [], bytes: 0, pictures: [], shaped: null };
  window.measured = log;
  window.addEventListener("pointermove", ({ buttons }) => buttons && log.moves.push(now()), true);
  window.addEventListener("pointerup", () => log.let.push(now()), true);

  const shapes = new Set();
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    if (typeof text === "string") {
      const { id, do: what } = JSON.parse(text);
      if (what === "edit") log.edits.push({ id, at: now() });
      if (what === "shapes") shapes.add(id);
    }
    return send.call(this, text);
  };

  // Heard after the page has heard it: its words stand by then.
  const Plain = WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...words) {
      super(...words);
      setTimeout(() => this.addEventListener("message", heard));
    }
  };

  function heard({ data }) {
    log.bytes += data.length; // messages are ASCII
    const { id, pose, event, pairs, settled } = JSON.parse(data);
    if (shapes.has(id)) log.shaped ??= now();
    if (id !== undefined) log.answers[id] = pose;
    if (event === "results") log.told.push({ at: now(), pose, pairs: pairs.map(String), settled });
  }

  function answered({ data: { number, result } }) {
    if (result) log.first.push({ number, word: result.word, at: now() });
  }

  // The judge in the page, which answers first: what was put to it, and what it said of that.
  const Plainer = Worker;
  window.Worker = class extends Plainer {
    constructor(...words) {
      super(...words);
      setTimeout(() => this.addEventListener("message", answered));
    }

    postMessage(message, ...words) {
      if (message.places) log.asked.push({ number: message.number, at: now() });
      return super.postMessage(message, ...words);
    }
  };

  const gl = WebGL2RenderingContext.prototype;
  const { deleteSync } = gl;
  gl.deleteSync = function (...words) {
    log.pictures.push(now());
    return deleteSync.apply(this, words);
  };
})();
