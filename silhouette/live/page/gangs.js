// The looks of gangs: colours, each with dashes of its own, which eyes that tell no colours apart know as well.
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
