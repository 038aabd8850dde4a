import { QrDesignError } from './qr-design.js';

// Scanners compare brightness. Some phones fail in poor light below a contrast ratio of 3.
// ISO/IEC 15415, 7.8.3 fails a symbol whose brightness differs by less than 20 %.
const minRatio = 3;
const minDifference = 0.2;

export type Rgb = readonly [red: number, green: number, blue: number];

export function parseColour(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/** Throws a QrDesignError when the contrast is too low or the foreground is the lighter colour. */
export function checkColours(foregroundColor: string, backgroundColor: string): void {
  const dark = luminance(parseColour(foregroundColor));
  const light = luminance(parseColour(backgroundColor));
  const pair = `${foregroundColor} on ${backgroundColor}`;
  if (isReadable(dark, light)) return;
  if (isReadable(light, dark)) {
    throw new QrDesignError(
      'foregroundColor',
      `is lighter than backgroundColor (${pair}), and many scanners cannot read inverted codes: exchange them`,
    );
  }
  const contrast = `a contrast of ${ratio(dark, light).toFixed(2)} to 1 (${pair})`;
  throw new QrDesignError(
    'foregroundColor',
    `has ${contrast}, and scanners need ${minRatio} to 1: use a darker one, or a lighter backgroundColor`,
  );
}

function isReadable(dark: number, light: number): boolean {
  return light - dark >= minDifference && ratio(dark, light) >= minRatio;
}

function ratio(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Returns the relative luminance of WCAG 2.2: 0 for black, 1 for white. */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
