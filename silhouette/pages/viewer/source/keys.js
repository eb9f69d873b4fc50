// The keys of tables, for reports and for the live table: keys.json says which key does what, and in which words.
import ROWS from "../../html/assets/keys.json";

const ACTS = new Map(ROWS.flatMap(({ keys = {}, fine = [] }) => Object.entries(keys).map(([key, act]) => [key, { act, fine }])));

// Where Shift or Alt makes another sign of a key, it is known by its place.
const PLACES = { BracketLeft: "[", BracketRight: "]", Comma: ",", Period: "." };

// What a key is for, {act, isFine}; null for none.
function actOf(event) {
  const isGraph = event.getModifierState("AltGraph"); // it makes signs, as [ on many keyboards
  const isControl = !isGraph && (event.ctrlKey || event.metaKey);
  const isAlt = !isGraph && event.altKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const names = [key, ...(isAlt || event.shiftKey ? [PLACES[event.code]] : [])];
  const prefix = isControl ? "Ctrl+" : "";
  const entry = names.flatMap((name) => [...(event.shiftKey ? [ACTS.get(`${prefix}Shift+${name}`)] : []), ACTS.get(`${prefix}${name}`)]).find(Boolean);
  if (!entry || (isAlt && !entry.fine.includes("Alt"))) return null;
  return { act: entry.act, isFine: isAlt || (event.shiftKey && entry.fine.includes("Shift")) };
}

const VIEW_TURN = Math.PI / 24;

// The acts of a view.
export function ofView(view) {
  return {
    viewLeft: () => view.turned(VIEW_TURN, 0),
    viewRight: () => view.turned(-VIEW_TURN, 0),
    viewAway: () => view.turned(0, VIEW_TURN),
    viewNear: () => view.turned(0, -VIEW_TURN),
    nearer: () => view.nearer(),
    farther: () => view.farther(),
    above: () => view.above(),
  };
}

// Does what a key is for, by the acts of a page, which are told whether it is to be little. Whether one did: the browser then
// does nothing of its own. An act says false where it does nothing.
export function acted(event, acts) {
  const { act, isFine } = actOf(event) || {};
  if (!acts[act] || acts[act](isFine) === false) return false;
  event.preventDefault();
  return true;
}

// Fills a list with what keys and gestures do: of keys those for which a page has acts, by their names; ``words`` of a page in
// another language than English.
export function keysListed(list, acts, words = {}) {
  const rows = ROWS.filter(({ keys }) => !keys || Object.values(keys).some((act) => acts.includes(act)));
  list.replaceChildren(...rows.map((row) => {
    const item = document.createElement("div");
    item.append(marked("dt", words[row.shown] || row.shown), marked("dd", words[row.words] || row.words));
    return item;
  }));
}

// An element of a text, in which keys stand between backticks.
function marked(tag, text) {
  const element = document.createElement(tag);
  const parts = text.split("`").map((part, index) => (index % 2 ? Object.assign(document.createElement("kbd"), { textContent: part }) : part));
  element.append(...parts);
  return element;
}
