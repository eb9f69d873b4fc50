// The picture of a model as it is tagged: the server keeps it beside the model's file when the scene is saved.
import { named } from "./tag_fields.js";

const SIZE = 480; // px of each of its two views
const LINE = 20;

export class Evidence {
  constructor(app) {
    this.app = app;
  }

  async kept(name) {
    const { table, views, tell } = this.app;
    const piece = table.piece(name);
    const said = await table.connection.ask({ do: "tags", piece: name });
    const portrait = piece && views.deep?.portrait(name, SIZE, [piece.eye]);
    if (!portrait) return;
    const data = await inBase64(captioned(portrait, name, said));
    try {
      await table.connection.ask({ do: "picture", piece: name, data });
    } catch (error) {
      if (!error.lost) tell(`The picture of the model is not kept: ${error.message}`, true);
    }
  }
}

// With the eye marked, and in words what is said of the model.
function captioned({ canvas, places }, name, { eye, base, insignificant }) {
  const round = (value) => Math.round(10 * value) / 10;
  const lines = [
    `${name}: eye at ${eye.map(round).join(", ")} mm${base ? `; base ${round(base.diameter)} mm wide, ${round(base.height)} mm high` : "; no base"}`,
    `Does not count, in pink: ${[...(base ? ["its base"] : []), ...insignificant.map(named)].join(", ") || "nothing"}`,
  ];
  const whole = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height + (lines.length + 0.6) * LINE });
  const brush = whole.getContext("2d");
  brush.fillStyle = "#ffffff";
  brush.fillRect(0, 0, whole.width, whole.height);
  brush.drawImage(canvas, 0, 0);
  brush.lineWidth = 2;
  for (const [x, y] of places) {
    for (const [colour, radius] of [["#ffffff", 8], ["#0072b2", 6]]) {
      brush.strokeStyle = colour;
      brush.beginPath();
      brush.arc(x, y, radius, 0, 2 * Math.PI);
      brush.stroke();
    }
  }
  brush.fillStyle = "#21242a";
  brush.font = `${0.7 * LINE}px system-ui, sans-serif`;
  lines.forEach((line, index) => brush.fillText(line, 10, canvas.height + (index + 1) * LINE, whole.width - 20));
  return whole;
}

async function inBase64(canvas) {
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let start = 0; start < bytes.length; start += 8192) text += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(text);
}
