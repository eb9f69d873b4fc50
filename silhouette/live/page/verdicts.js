// What the page says of a result, besides the words, signs, colours and dashes that it shares with reports.
export const { ARC, CALLS, CLASSES, filled, LINES, share, sightOf, SIGNS, upper } = window.silhouetteViewer;

export function inWords(row) {
  return row.in_arc === false ? `${row.verdict}, out of arc` : row.verdict;
}

// The share of a result that a reader wants beside its verdict; empty where the arc alone decides, or nothing was counted.
export function shareOf(row) {
  return typeof row.occluded === "number" && row.in_arc !== false && row.target_pixels !== 0 ? share(row.occluded) : "";
}

export function headline(attacker, target, row) {
  if (!row) return `${attacker} looks at ${target}`;
  return row.line_of_sight === false ? `${attacker} does not see ${target}` : `${attacker} sees ${target}`;
}

export function sentence(row) {
  const part = shareOf(row);
  return `${headline(row.attacker, row.target, row)}: ${inWords(row)}${part ? `, ${part}` : ""}`;
}
