// SVG: elements, and the marks on the table drawn flat.
export const { drawn } = window.silhouetteViewer;

const DASH = 7; // px of a dash of length 1

export const lineOf = (points) => `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}`;
export const pathOf = (points) => `${lineOf(points)}Z`;

// The marks of `marks.js`, each point put where `flat` has it.
export function drawnFlat({ lines, areas }, flat) {
  return [
    ...areas.map(({ outline, height, colour, opacity }) => {
      const points = outline.map(([x, y]) => flat([x, y, height]));
      return drawn("path", { d: pathOf(points), fill: `var(--${colour})`, "fill-opacity": opacity });
    }),
    ...lines.map(({ points, colour, width, dash, opacity = 1 }) =>
      drawn("path", {
        d: lineOf(points.map(flat)),
        class: "mark",
        stroke: `var(--${colour})`,
        "stroke-width": width,
        "stroke-opacity": opacity,
        ...(dash && { "stroke-dasharray": dash.map((length) => DASH * length).join(" ") }),
      }),
    ),
  ];
}
