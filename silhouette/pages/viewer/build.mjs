// Bundles the sources beside this file and what they use of three.js into one file without any reference outside it.
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const sources = readdirSync("source").filter((name) => name.endsWith(".js")).sort();
const digest = createHash("sha256");
const files = [...sources.map((name) => `source/${name}`), "../html/assets/keys.json", "../html/assets/refusals.json", "../../judging/calls.json"];
for (const file of files) digest.update(readFileSync(file, "utf8").replaceAll("\r\n", "\n"));
const three = JSON.parse(readFileSync("node_modules/three/package.json", "utf8")).version;

const hash = `sources sha256 ${digest.digest("hex")}`;
const shared = { bundle: true, minify: true, format: "iife", target: "es2021", charset: "ascii", legalComments: "none" };

await build({
  ...shared,
  entryPoints: ["source/main.js"],
  outfile: "../html/assets/viewer.min.js",
  globalName: "silhouetteViewer",
  banner: {
    js: `/* Silhouette's viewer (MIT), ${hash}; with three.js ${three}, (c) three.js authors, MIT: see three.LICENSE.txt */`,
  },
});
await build({
  ...shared,
  entryPoints: ["source/judge.js"],
  outfile: "../html/assets/judge.min.js",
  globalName: "silhouetteJudge",
  banner: { js: `/* Silhouette's judge (MIT), ${hash} */` },
});
await build({
  ...shared,
  entryPoints: ["source/own.js"],
  outfile: "../html/assets/own.min.js",
  globalName: "silhouetteOwn",
  banner: { js: `/* Silhouette's reader of a visitor's meshes (MIT), ${hash} */` },
});
copyFileSync("node_modules/three/LICENSE", "../html/assets/three.LICENSE.txt");
