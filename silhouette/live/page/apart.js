// Where names stand so that none covers another: over their models, a little aside, or higher, on a stem.
const GAP = 2; // px between two names
const HIGHEST = 0.11; // of the picture's height that a stem is long at most
const LOW = 18; // px that a short form may stand lower, on the model's own head
const IN = 6; // px that a name reaches at least beyond its stem
const ASIDE = 0.4; // px that a name rises rather than going a px aside
const ON_STEM = 6; // px that a name goes aside rather than standing on a stem
const CROSSED = 30; // px that a name rises rather than having a stem pass behind a name
const HEAD = { wide: 5, high: 12 }; // px of what a name points at
const ON_HEAD = 12; // px that a name rises rather than covering the head of another model

// Each name is {x, y, width, height, brief}, px: the middle of its lower edge, how large it is, and how wide its short
// form, 0 for none; the first ones choose first. Gives for each {aside, up, brief}, or null where there is no room.
// `taken` are boxes that are covered already, `room` is {width, height} of the picture.
export function apart(names, taken, room) {
  const heads = names.map(({ x, y }) => ({ left: x - HEAD.wide, right: x + HEAD.wide, top: y, bottom: y + HEAD.high }));
  const boxes = [...taken];
  const stems = [];
  const stood = (name, index, brief) => {
    const near = (box) => reached(name, box, HIGHEST * room.height);
    const others = heads.filter((head, other) => other !== index && near(head));
    const found = placed(name, { boxes: boxes.filter(near), stems: stems.filter(near), heads: others }, room);
    if (!found) return null;
    boxes.push(found.box);
    if (found.stem) stems.push(found.stem);
    return { ...found, brief };
  };
  const places = names.map((name, index) => stood(name, index, false));
  return places.map((place, index) => place || (names[index].brief ? stood({ ...names[index], width: names[index].brief, low: LOW }, index, true) : null));
}

function reached({ x, y, width, height }, { left, right, top, bottom }, highest) {
  const beside = right > x - width - GAP && left < x + width + GAP;
  return beside && bottom > y - highest - height - GAP && top < y + LOW + GAP;
}

const meet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

// The place that costs least, among those that are flush with what is near.
function placed(name, { boxes, stems, heads }, room) {
  const { x, width } = name;
  const near = [...boxes, ...stems, ...heads];
  const over = near.map(({ top }) => name.y - top + GAP).filter((up) => up > 0 && up <= HIGHEST * room.height);
  const under = name.low ? boxes.map(({ bottom }) => name.y - bottom - GAP - name.height).filter((up) => up < 0 && -up <= name.low) : [];
  const flush = near.flatMap(({ left, right }) => [right + GAP + width / 2 - x, left - GAP - width / 2 - x]);
  const inside = Math.min(Math.max(x, width / 2), Math.max(room.width - width / 2, width / 2)) - x;
  const byLength = (one, other) => Math.abs(one) - Math.abs(other);
  const most = name.low ? width * 0.75 : width / 2 - IN;
  const asides = [0, inside, ...flush.filter((aside) => Math.abs(aside) <= most)].sort(byLength);
  let best = null;
  for (const up of [0, ...over, ...under].sort(byLength)) {
    for (const aside of asides) {
      const least = Math.abs(up) + ASIDE * Math.abs(aside) + (up > 0 ? ON_STEM : 0);
      if (best && least >= best.cost) break;
      const { box, stem } = standing(name, aside, up);
      const beyond = aside !== inside && (box.left < 0 || box.right > room.width);
      if (beyond || (up > 0 && box.top < 0) || boxes.some((one) => meet(box, one))) continue;
      const crossed = stems.filter((one) => meet(box, one)).length + (stem ? boxes.filter((one) => meet(stem, one)).length : 0);
      if (crossed && name.brief) continue; // its short form is easier to read
      const cost = least + CROSSED * crossed + ON_HEAD * heads.filter((head) => meet(box, head)).length;
      if (!best || cost < best.cost) best = { cost, box, stem, aside, up };
    }
  }
  return best;
}

function standing({ x, y, width, height }, aside, up) {
  const [middle, bottom] = [x + aside, y - up];
  const box = { left: middle - width / 2, right: middle + width / 2, top: bottom - height, bottom };
  return { box, stem: up > 0 ? { left: x - 1, right: x + 1, top: bottom, bottom: y } : null };
}
