import { contrastOf, luminance, parseColour } from '../../contrast.js';
import { QrDesignError } from './qr-design.js';

// Scanners compare brightness. Some phones fail in poor light below a contrast ratio of 3.
// ISO/IEC 15415, 7.8.3 fails a symbol whose brightness differs by less than 20 %.
const minRatio = 3;
const minDifference = 0.2;

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
  const contrast = `a contrast of ${contrastOf(dark, light).toFixed(2)} to 1 (${pair})`;
  throw new QrDesignError(
    'foregroundColor',
    `has ${contrast}, and scanners need ${minRatio} to 1: use a darker one, or a lighter backgroundColor`,
  );
}

function isReadable(dark: number, light: number): boolean {
  return light - dark >= minDifference && contrastOf(dark, light) >= minRatio;
}
