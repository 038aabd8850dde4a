import { QrDesignError } from './qr-design.js';

// Scanners compare brightness. Below a ratio of 3 some phones lose the code in poor light, and a
// difference of less than a fifth of full brightness is a failing symbol: ISO/IEC 15415, 7.8.3.
const smallestRatio = 3;
const smallestDifference = 0.2;

export type Rgb = readonly [red: number, green: number, blue: number];

export function parseColour(hex: string): Rgb {
  return rgbOf(Number.parseInt(hex.slice(1), 16));
}

/** Of a number with a byte for each channel. */
export function rgbOf(value: number): Rgb {
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/** Refuses colours that scanners cannot tell apart, and light modules on a dark ground. */
export function checkColours(foregroundColor: string, backgroundColor: string): void {
  const dark = luminance(parseColour(foregroundColor));
  const light = luminance(parseColour(backgroundColor));
  const pair = `${foregroundColor} on ${backgroundColor}`;
  if (isReadable(dark, light)) return;
  if (isReadable(light, dark)) {
    throw new QrDesignError(
      'foregroundColor',
      `is lighter than backgroundColor (${pair}), and many scanners read no inverted codes: ` +
        'exchange the two',
    );
  }
  const contrast = `a contrast of ${ratio(dark, light).toFixed(2)} to 1 (${pair})`;
  const darker = darkened(foregroundColor, light);
  if (darker !== undefined) {
    throw new QrDesignError(
      'foregroundColor',
      `has ${contrast}, and scanners need ${smallestRatio} to 1: ${darker} would do`,
    );
  }
  throw new QrDesignError(
    'backgroundColor',
    `has ${contrast} and is too dark for any foreground: scanners need ${smallestRatio} to 1 ` +
      'on a light ground, such as #FFFFFF',
  );
}

function isReadable(dark: number, light: number): boolean {
  return light - dark >= smallestDifference && ratio(dark, light) >= smallestRatio;
}

/** Of two relative luminances: WCAG 2.2, contrast ratio. */
function ratio(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** WCAG 2.2, relative luminance: 0 is black, 1 is white. */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** The lightest shade of a colour's own hue that can be read on this ground. */
function darkened(hex: string, ground: number): string | undefined {
  const colour = parseColour(hex);
  for (let share = 100; share >= 0; share -= 1) {
    const shade = colour.map((channel) => Math.floor((channel * share) / 100));
    const [red = 0, green = 0, blue = 0] = shade;
    if (isReadable(luminance([red, green, blue]), ground)) {
      return `#${shade.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
    }
  }
  return undefined;
}
