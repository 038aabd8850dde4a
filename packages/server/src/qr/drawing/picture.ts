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
  const first = y * size;
  // Runs of a shade are long.
  for (let x = 0; x < size; ) {
    const shade = shades[first + x] ?? 0;
    let next = x + 1;
    while (next < size && shades[first + next] === shade) next += 1;
    fillRun(target, start + x * 3, start + next * 3, colours[shade] as Rgb);
    x = next;
  }
  const rgb = patch && patchRow(patch, y, 3);
  if (rgb) target.set(rgb, start + patch.box.left * 3);
}

function fillRun(target: Uint8Array, from: number, to: number, [red, green, blue]: Rgb): void {
  if (red === green && green === blue) {
    target.fill(red, from, to);
    return;
  }
  for (let at = from; at < to; at += 3) {
    target[at] = red;
    target[at + 1] = green;
    target[at + 2] = blue;
  }
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
