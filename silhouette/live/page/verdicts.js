// Words, signs, colours and dashes of verdicts: those of reports and figures.
export const SIGNS = { clear: "○", partial: "◐", full: "◕", blocked: "●" };
export const CLASSES = { clear: "free", partial: "part", full: "most", blocked: "none" };

// Of lines: a colour of the page, its width in pixels and its dashes as shares of the size of the table.
export const LINES = {
  clear: { colour: "seen-edge", width: 2.5, dash: null },
  partial: { colour: "blocker-edge", width: 2.25, dash: [2.6, 0.8] },
  full: { colour: "obscured-edge", width: 2, dash: [1.1, 0.8] },
  blocked: { colour: "soft-ink", width: 1, dash: [0.25, 0.9] },
};

// A share from 0 to 1; nothing, a half and all of it stand only for exactly that.
export function share(value) {
  const percent = 100 * value;
  if ([0, 50, 100].includes(percent)) return `${percent}\u00a0%`;
  for (const digits of [1, 2]) {
    const rounded = percent.toFixed(digits);
    if (![0, 50, 100].includes(Number(rounded))) return `${rounded}\u00a0%`;
  }
  return percent < 1 ? "under 0.01\u00a0%" : percent > 99 ? "over 99.99\u00a0%" : "about 50\u00a0%";
}

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

export function upper(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
