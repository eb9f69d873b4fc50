// Legends of signs and lines, for reports and for the live table. An entry is {key, words, sample}; entries of the same keys
// and words are the same.
import { gangsOf, lookOf } from "./gangs.js";
import { filled, LINES, SIGNS, upper } from "./verdicts.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 34; // px of a sample of a line
const DASH = 6; // px of a dash of length 1

export function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function sampleOf({ colour, width, dash }, path = "M0 7H34") {
  const dashes = dash ? { "stroke-dasharray": dash.map((length) => DASH * length).join(" ") } : {};
  const mark = drawn("path", { d: path, class: "mark", stroke: `var(--${colour})`, "stroke-width": width, ...dashes });
  return drawn("svg", { class: "sample", viewBox: `0 0 ${WIDTH} 14`, width: WIDTH, height: 14, "aria-hidden": "true" }, mark);
}

// A line of a look, or another path of it.
export function lineEntry(key, look, words, path) {
  return { key, words: upper(words), sample: () => sampleOf(look, path) };
}

// A colour, by its classes in a page.
export function swatchEntry(classes, words) {
  const sample = () => Object.assign(document.createElement("span"), { className: `swatch ${classes}`, ariaHidden: "true" });
  return { key: classes, words: upper(words), sample };
}

// Colours that mean the same wherever they are seen.
const PARTS = { seen: "seen", obscured: "obscured", outside: "beyond the vision arc", blocker: "in the way", aside: "disregarded", ghost: "not counted" };

// The colours of some parts: [part], or [part, words].
export function partEntries(parts, look = "") {
  return parts.map(([part, words = PARTS[part]]) => swatchEntry(`${part}${look}`, words));
}

// Of each level that some verdicts have: its line, its sign and the words for them. ``words``: of verdicts by their names.
export function levelEntries(verdicts, levels, words = {}) {
  return Object.entries(LINES).flatMap(([level, look]) => {
    const some = [...new Set(verdicts)].filter((verdict) => levels[verdict] === level);
    return some.length ? [lineEntry(level, look, `${SIGNS[level]} ${some.map((verdict) => words[verdict] || verdict).join(", ")}`)] : [];
  });
}

export function gangEntries(models, template = "Ring and bar of {gang}") {
  return gangsOf(models).map((gang) => swatchEntry(lookOf(models, gang).className, filled(template, { gang })));
}

// Puts entries into a list, where they are not there yet.
export function listed(list, entries) {
  const about = JSON.stringify(entries.map(({ key, words }) => [key, words]));
  if (list.dataset.entries === about) return;
  list.dataset.entries = about;
  const items = entries.map(({ words, sample }) => {
    const item = document.createElement("li");
    const text = document.createElement("span");
    text.textContent = words;
    item.append(sample(), text);
    return item;
  });
  list.replaceChildren(...items);
}
