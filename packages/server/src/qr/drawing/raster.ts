import type { Rgb } from './check-colours.js';

/** The shade of the foreground; 0 is the background. A pixel of 4 bits has 16 shades. */
export const darkest = 15;

/** A QR code as pixels, without its logo and before it is encoded. */
export interface Raster {
  /** Width and height in pixels. */
  readonly size: number;
  /** The shade of each pixel, 0 to `darkest`, row by row. */
  readonly shades: Uint8Array;
  /** The colour of each shade. */
  readonly colours: readonly Rgb[];
}

/** Returns the pixels as three bytes each. */
export function rgbPixels({ size, shades, colours }: Raster): Buffer {
  const rgb = Buffer.allocUnsafe(size * size * 3);
  const pixels = colours.map((colour) => Buffer.from(colour));
  // Runs of one shade are long, and filling a run is faster than writing each pixel.
  for (let start = 0; start < shades.length; ) {
    const shade = shades[start] ?? 0;
    let end = start + 1;
    while (end < shades.length && shades[end] === shade) end += 1;
    rgb.fill(pixels[shade] as Buffer, start * 3, end * 3);
    start = end;
  }
  return rgb;
}
