// The keys of a report's view, and the wheel: a page is scrolled over the view unless somebody has taken it up.
const STEP = Math.PI / 24;

export function taken(viewer) {
  const { canvas, controls } = viewer;
  const acts = {
    ArrowLeft: () => viewer.turned(STEP, 0),
    ArrowRight: () => viewer.turned(-STEP, 0),
    ArrowUp: () => viewer.turned(0, STEP),
    ArrowDown: () => viewer.turned(0, -STEP),
    "+": () => viewer.nearer(),
    "=": () => viewer.nearer(),
    "-": () => viewer.farther(),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
  controls.enableZoom = false;
  canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
  canvas.addEventListener("focus", () => (controls.enableZoom = true));
  canvas.addEventListener("blur", () => (controls.enableZoom = false));
}
