// The map of a report: a tap on a place, or the arrow keys, tell who sees it and how much.
(() => {
  const held = document.getElementById("map");
  const shown = document.getElementById("map-shown");
  if (!held || !shown) return;
  const map = JSON.parse(held.textContent);
  const plate = shown.querySelector('[id$="-table"]');
  const told = document.getElementById("map-told");
  const mark = document.getElementById("map-mark");
  if (!plate || !map) return;
  const cells = new Map(map.cells.map((cell) => [`${cell[0]},${cell[1]}`, cell]));
  let at = map.first;

  const filled = (words, values) => words.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const number = (value) => value.toFixed(1).replace("-", "\u2212").replace(".", map.words.point);

  // A place of the drawing, as a share of the table's rectangle, from its left and its upper edge.
  function shares(x, y) {
    const [left, bottom, right, top] = map.table;
    return [(x - left) / (right - left), (top - y) / (top - bottom)];
  }

  function show() {
    const cell = cells.get(at.join(","));
    if (!cell) return;
    const [x, y] = [0, 1].map((axis) => map.least[axis] + at[axis] * map.grid);
    const [left, top] = shares(x, y + map.grid);
    const [right, bottom] = shares(x + map.grid, y);
    const box = plate.getBoundingClientRect();
    const around = shown.getBoundingClientRect();
    Object.assign(mark.style, {
      left: `${box.left - around.left + left * box.width}px`,
      top: `${box.top - around.top + top * box.height}px`,
      width: `${(right - left) * box.width}px`,
      height: `${(bottom - top) * box.height}px`,
    });
    mark.hidden = false;
    told.textContent = sentence(cell, x + map.grid / 2, y + map.grid / 2);
  }

  function sentence(cell, x, y) {
    const where = filled(map.words.where, { x: number((x * map.mm) / 25.4), y: number((y * map.mm) / 25.4) });
    if (cell.length === 2) return `${where} ${map.words.unfit}`;
    const [, , doubtful, verdicts, percents, doubts] = cell;
    const most = map.verdicts[Math.min(...verdicts)];
    const seen = verdicts.filter((verdict) => verdict < map.verdicts.length - 1).length;
    const close = doubtful ? map.words.close : "";
    const each = verdicts.map((verdict, one) => {
      const share = percents[one] === null ? "" : filled(map.words.share, { percent: percents[one] });
      const mine = doubts[one] ? map.words.close : "";
      return `${map.others[one]}: ${map.verdicts[verdict]}${share}${mine}`;
    });
    const count = verdicts.length > 1 ? `${filled(map.words.count, { seen, all: verdicts.length })} ` : "";
    return `${where} ${most}${close}. ${count}${each.join("; ")}.`;
  }

  shown.addEventListener("click", (event) => {
    const box = plate.getBoundingClientRect();
    const [left, bottom, right, top] = map.table;
    const x = left + ((event.clientX - box.left) / box.width) * (right - left);
    const y = top - ((event.clientY - box.top) / box.height) * (top - bottom);
    const there = [x, y].map((place, axis) => Math.floor((place - map.least[axis]) / map.grid));
    if (!cells.has(there.join(","))) return;
    at = there;
    show();
  });
  shown.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const there = [at[0] + step[0], at[1] + step[1]];
    if (cells.has(there.join(","))) at = there;
    show();
  });
  window.addEventListener("resize", () => {
    if (!mark.hidden) show();
  });
  shown.tabIndex = 0;
  told.textContent = map.words.tap;
})();
