// The looks of gangs, for reports and for the live table: colours, each with dashes of its own, which eyes that tell no colours apart know as well.
const COLOURS = ["green", "purple", "yellow", "paper"];
const DASHES = [null, [1.2, 0.6], [0.35, 0.35], [0.5, 1.1]]; // as shares of the size of the table

export function gangsOf(models) {
  return [...new Set(models.map(({ gang }) => gang).filter(Boolean))];
}

// How a gang is marked, on the table and, by a class, in words; null for a model without one.
export function lookOf(models, gang) {
  const number = gangsOf(models).indexOf(gang);
  if (number < 0) return null;
  const dash = number % DASHES.length;
  const colour = COLOURS[(number + Math.floor(number / DASHES.length)) % COLOURS.length];
  return { colour, dash: DASHES[dash], className: `gang in-${colour} dash-${dash}` };
}

const OVER = 0.6; // mm above the ground
const APART = 90; // as which part of the size of the table a ring lies apart from the rim of a base
const WAYS = 72; // the corners of a ring

// The ring of a look round what a piece stands on, a little apart from its rim, as lines in the world: ``core``: the corners
// of what has that rim with so much all round, ``height`` and ``size`` of the table, mm.
export function ringOf({ colour, dash }, { core, radius = 0, height }, size) {
  const far = radius + size / APART;
  const points = Array.from({ length: WAYS + 1 }, (_, way) => {
    const [x, y] = [Math.cos((2 * Math.PI * way) / WAYS), Math.sin((2 * Math.PI * way) / WAYS)];
    const rim = core.reduce((best, point) => (point[0] * x + point[1] * y > best[0] * x + best[1] * y ? point : best));
    return [rim[0] + far * x, rim[1] + far * y, height + OVER];
  });
  return [{ points, colour: "ink", width: 4, dash: null, over: false, opacity: 0.8 }, { points, colour, width: 2, dash, over: false }];
}
