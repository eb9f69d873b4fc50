// Lengths on the table, and angles.
export const { INCH } = window.silhouetteViewer;

export function inches(mm, digits = 1) {
  return `${(mm / INCH).toFixed(digits)}″`;
}

// A length in inches where the scene's unit, so many mm, is an inch, else in mm; with more decimals where it is small.
export function lengthIn(unit, mm) {
  const inch = unit === INCH;
  const value = inch ? mm / INCH : mm;
  const small = inch ? 0.01 : 0.1;
  const text = value && value < small ? value.toPrecision(1) : value.toFixed(inch && value < 1 ? 2 : 1);
  return `${text}${inch ? "″" : "\u00a0mm"}`;
}

export function turnedAbout([x, y], [cx, cy], degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return [cx + cosine * (x - cx) - sine * (y - cy), cy + sine * (x - cx) + cosine * (y - cy)];
}

// An angle in degrees from 0 up to 360, without the noise of floating point.
export function wrapped(degrees) {
  const value = Math.round((((degrees % 360) + 360) % 360) * 1000) / 1000;
  return value === 360 ? 0 : value;
}
