// Beside the page that is filmed, before its own scripts: what is still to be drawn, the pointer over it, and what it tells.
(() => {
  const SLOWER = 1000;
  // Software draws slowly; by a slow clock the page keeps to the look that it has on a graphics card, and hints stay.
  const now = performance.now.bind(performance);
  performance.now = () => now() / SLOWER;
  const { setTimeout } = window;
  window.setTimeout = (act, ms, ...words) => setTimeout(act, ms < 1000 ? ms : SLOWER * ms, ...words);

  // The name of the driver would tell the page that there is no graphics card.
  const UNMASKED_RENDERER = 0x9246;
  const gl = WebGL2RenderingContext.prototype;
  const { getParameter } = gl;
  gl.getParameter = function (name) {
    return name === UNMASKED_RENDERER ? "a graphics card" : getParameter.call(this, name);
  };

  const asked = new Set();
  const { requestAnimationFrame, cancelAnimationFrame } = window;
  window.requestAnimationFrame = (act) => {
    const number = requestAnimationFrame.call(window, (time) => {
      asked.delete(number);
      act(time);
    });
    asked.add(number);
    return number;
  };
  window.cancelAnimationFrame = (number) => {
    asked.delete(number);
    cancelAnimationFrame.call(window, number);
  };

  const byId = (id) => document.getElementById(id);
  const POINTER = `<svg width="30" height="38" viewBox="0 0 24 30">
    <circle cx="3" cy="3" r="9" fill="none" stroke="#0072b2" stroke-width="2"/>
    <path d="M3 2v20l5-4.6 3.4 8 3.6-1.6-3.4-7.8 6.8-.6z" fill="#21242a" stroke="#fff" stroke-width="1.8" stroke-linejoin="round"/>
  </svg><p></p>`;
  const LAYER = { position: "fixed", inset: "0", zIndex: 99, pointerEvents: "none" };
  const AT_ITS_TIP = { position: "absolute", left: "-4px", top: "-3px", overflow: "visible" };
  const WORDS = {
    position: "absolute",
    bottom: "74px",
    margin: 0,
    padding: "7px 16px",
    borderRadius: "10px",
    background: "#21242a",
    color: "#fff",
    font: "600 17px system-ui, sans-serif",
    translate: "-50% 0",
    whiteSpace: "nowrap",
  };
  let pointer;
  let words;

  window.film = {
    // All is told and drawn.
    quiet() {
      if (!window.silhouette) return false;
      const { selected, pieces, results } = window.silhouette.state();
      const others = pieces.filter(({ kind }) => kind !== "terrain").length - 1;
      const told = !selected || results.length === 2 * others;
      const sent = byId("saving").dataset.state !== "busy";
      const drawn = !asked.size && !document.querySelector("#table canvas[data-drawing=true]");
      return told && sent && drawn;
    },

    begin() {
      const layer = document.createElement("div");
      layer.setAttribute("aria-hidden", "true");
      layer.innerHTML = POINTER;
      [pointer, words] = layer.children;
      Object.assign(layer.style, LAYER);
      Object.assign(pointer.style, AT_ITS_TIP);
      Object.assign(words.style, WORDS);
      document.body.append(layer);
    },

    // The pointer there, and a line of words below the table.
    lay(x, y, pressed, text) {
      pointer.style.transform = `translate(${x}px, ${y}px)`;
      pointer.firstElementChild.setAttribute("opacity", pressed ? 1 : 0);
      words.hidden = !text;
      words.textContent = text;
      words.style.left = `${byId("table").clientWidth / 2}px`;
    },

    // Where a model stands, and what the page says of the chosen pair.
    told(name) {
      const { pieces, results } = window.silhouette.state();
      const { at, facing } = pieces.find((piece) => piece.name === name);
      const said = (id) => byId(id).textContent;
      const pair = byId("pair");
      const { left, top, right, bottom } = byId("eye-view").getBoundingClientRect();
      const chosen = {
        pair: pair.hidden ? null : JSON.parse(pair.dataset.pair),
        verdict: said("verdict-plate"),
        share: said("share"),
        reason: said("reason"),
        eye: [left, top, right, bottom].map(Math.round),
      };
      return { at, facing, results: results.length, saving: said("saving"), ...(chosen.pair && chosen) };
    },
  };
})();
