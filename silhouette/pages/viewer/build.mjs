// Bundles the sources beside this file and what they use of three.js into one file without any reference outside it.
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const sources = readdirSync("source").filter((name) => name.endsWith(".js")).sort();
const digest = createHash("sha256");
for (const name of sources) digest.update(readFileSync(`source/${name}`, "utf8").replaceAll("\r\n", "\n"));
const three = JSON.parse(readFileSync("node_modules/three/package.json", "utf8")).version;

await build({
  entryPoints: ["source/main.js"],
  outfile: "../html/assets/viewer.min.js",
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "silhouetteViewer",
  target: "es2021",
  charset: "ascii",
  legalComments: "none",
  banner: {
    js: `/* Silhouette's viewer (MIT), sources sha256 ${digest.digest("hex")}; with three.js ${three}, (c) three.js authors, MIT: see three.LICENSE.txt */`,
  },
});
copyFileSync("node_modules/three/LICENSE", "../html/assets/three.LICENSE.txt");
