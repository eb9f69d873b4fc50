// Words, signs, colours and dashes of verdicts, for reports and for the live table: those of figures.
import CALLS from "../../../judging/calls.json";

export { CALLS };
export const SIGNS = { clear: "○", partial: "◐", full: "◕", blocked: "●" };
export const CLASSES = { clear: "free", partial: "part", full: "most", blocked: "none" };

// Of lines: a colour of the page, the width in pixels and dashes as shares of the size of the table.
export const LINES = {
  clear: { colour: "seen-edge", width: 2.5, dash: null },
  partial: { colour: "blocker-edge", width: 2.25, dash: [2.6, 0.8] },
  full: { colour: "obscured-edge", width: 2, dash: [1.1, 0.8] },
  blocked: { colour: "soft-ink", width: 1, dash: [0.25, 0.9] },
};
export const ARC = { colour: "arc", width: 1.75, dash: [1.6, 0.9] };
export const EXACT = 5e-4; // a bound below this is not told
const ROUNDING = 1e-9;
const UNKNOWN = { colour: "rule", width: 1, dash: null };

// A line from an eye to a place on whom it looks at, to the left of its direction, with an arrow head; ``level``: of its
// verdict, none where there is none yet; ``size`` of the table, mm.
export function sightOf(from, to, level, size, { isChosen = false, isFirst = false } = {}) {
  const look = LINES[level] || UNKNOWN;
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const aside = [(-dy / length) * (size / 130), (dx / length) * (size / 130)];
  const at = (share, left = 0) => [
    from[0] + share * dx + (1 + left) * aside[0],
    from[1] + share * dy + (1 + left) * aside[1],
    from[2] + share * (to[2] - from[2]),
  ];
  const opacity = isChosen ? (isFirst ? 0.6 : 1) : level === "blocked" ? 0.55 : 0.85;
  const shown = { colour: look.colour, width: look.width + (isChosen ? 2.5 : 0), over: true, opacity };
  const line = { ...shown, dash: look.dash, points: [at(0), at(1)] };
  if (!level || (level === "blocked" && !isChosen)) return [line];
  const back = Math.max(1 - size / 12 / length, 0.5);
  const head = Math.max(back - size / 45 / length, 0.4);
  return [line, { ...shown, dash: null, points: [at(head, 1.6), at(back), at(head, -1.6)] }];
}

// A template with values in place of what stands in braces.
export function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? values[key] : whole));
}

// The word of a result in a list: what the arc alone hides is out of arc, and a question mark is with what is too close to
// call. ``words`` of a page in another language than English.
export function inAWord({ verdict, in_arc: isInArc, marginal }, words = {}) {
  const word = isInArc === false ? "out of arc" : verdict;
  return `${words[word] || word}${marginal ? "?" : ""}`;
}

export function upper(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

// A share from 0 to 1; nothing, a half and all of it stand only for exactly that. ``words`` of a page in another language
// than English.
export function share(value, words = {}, language = "en") {
  const percent = 100 * value;
  const shown = (number, digits) => `${number.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits })}\u00a0%`;
  if ([0, 50, 100].includes(percent)) return shown(percent, 0);
  for (const digits of [1, 2]) {
    const rounded = Number(percent.toFixed(digits));
    if (![0, 50, 100].includes(rounded)) return shown(rounded, digits);
  }
  const [word, edge] = percent < 1 ? ["under", shown(0.01, 2)] : percent > 99 ? ["over", shown(99.99, 2)] : ["about", shown(50, 0)];
  return filled(words[word] || `${word} {share}`, { share: edge });
}

// Who obscures a target, by an answer of the judge, and how much: which of several before one place is the nearest it does
// not know, so that shares are null where they do not add up to all that is obscured.
export function blockersOf({ blockers, share = 0, bound = 0 }) {
  const sum = blockers.reduce((all, each) => all + each.share, 0);
  if (Math.abs(sum - share) > Math.min(bound, EXACT) + ROUNDING) return blockers.map(({ name }) => ({ name, share: null }));
  return blockers;
}
