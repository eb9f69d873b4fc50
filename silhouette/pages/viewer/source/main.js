// What the bundle holds: it brings a report to life, and lends its parts to the live table.
import * as three from "./three.js";
import { opened, started } from "./report.js";

export { Asking, rowOf } from "./asking.js";
export { gangsOf, lookOf, ringOf } from "./gangs.js";
export { angleOf, axesOf, directionOf, Grip, INCH, inSteps, isStill, Pointer, stepOf, TURN, WAYS, Wheel } from "./gestures.js";
export { ASK } from "./judge_necromunda.js";
export { acted, keysListed, ofView } from "./keys.js";
export { drawn, gangEntries, levelEntries, lineEntry, listed, partEntries } from "./legend.js";
export { drawnMarks } from "./marks.js";
export { matrixOf, shapeOf } from "./meshes.js";
export { between, hullOf, inside } from "./outlines.js";
export { unpacked } from "./packing.js";
export { Stage } from "./stage.js";
export { ARC, CALLS, CLASSES, filled, LINES, share, sightOf, SIGNS, upper } from "./verdicts.js";
export { angleRound, Viewer } from "./viewer.js";
export { opened, three };

started();
