import { parseColour, type Rgb } from './check-colours.js';
import type { Box } from './logo-place.js';
import type { QrDesign } from './qr-design.js';
import { darkest, type Shades } from './raster.js';

/** A drawn image before it is written to a file. */
export interface Picture {
  /** Pixels of a side. */
  readonly size: number;
  readonly shades: Shades;
  /** The colour of each shade. */
  readonly colours: readonly Rgb[];
  /** The logo over it, when there is one. */
  readonly patch: Patch | undefined;
}

export interface Patch {
  readonly box: Box;
  /** Three bytes a pixel. */
  readonly rgb: Uint8Array;
}

/** The colours of the shades, from ground to foreground. */
export function shadeColours({ backgroundColor, foregroundColor }: QrDesign): readonly Rgb[] {
  const ground = parseColour(backgroundColor);
  const ink = parseColour(foregroundColor);
  return Array.from({ length: darkest + 1 }, (_, shade) => {
    const mix = (channel: 0 | 1 | 2) =>
      Math.round(ground[channel] + ((ink[channel] - ground[channel]) * shade) / darkest);
    return [mix(0), mix(1), mix(2)];
  });
}

/** Writes a row's pixels, three bytes each. */
export function writeRgbRow(picture: Picture, y: number, target: Uint8Array, start: number): void {
  const { size, shades, colours, patch } = picture;
  let at = start;
  for (let index = y * size; index < (y + 1) * size; index += 1) {
    const [red, green, blue] = colours[shades[index] ?? 0] as Rgb;
    target[at] = red;
    target[at + 1] = green;
    target[at + 2] = blue;
    at += 3;
  }
  const rgb = patch && patchRow(patch, y, 3);
  if (rgb) target.set(rgb, start + patch.box.left * 3);
}

/** A row of the patch, as far as it reaches there, out of so many bytes a pixel. */
export function patchRow(
  { box, rgb }: Patch,
  y: number,
  channels: number,
  pixels = rgb,
): Uint8Array | undefined {
  const row = y - box.top;
  if (row < 0 || row >= box.height) return undefined;
  return pixels.subarray(row * box.width * channels, (row + 1) * box.width * channels);
}
