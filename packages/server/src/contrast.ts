export type Rgb = readonly [red: number, green: number, blue: number];

export function parseColour(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/** Returns the contrast of two luminances: 1 to 21. */
export function contrastOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Returns the relative luminance of WCAG 2.2: 0 for black, 1 for white. */
export function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

// WCAG 2.2, level AA, for text.
const minContrast = 4.5;
const steps = 20;

/** Returns a colour, made darker or lighter until text of it is readable on a background. */
export function readableOn(background: string, colour: string): Rgb {
  const ground = luminance(parseColour(background));
  const [red, green, blue] = parseColour(colour);
  const end = ground > 0.5 ? 0 : 255;
  for (let step = 0; step < steps; step += 1) {
    const mix = (channel: number) => Math.round(channel + ((end - channel) * step) / steps);
    const mixed: Rgb = [mix(red), mix(green), mix(blue)];
    if (contrastOf(luminance(mixed), ground) >= minContrast) return mixed;
  }
  return [end, end, end];
}
