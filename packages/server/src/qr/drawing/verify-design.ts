import { pixelsOf, readCode } from './decoders.js';
import { drawDesign } from './draw-design.js';
import { type QrDesign, QrDesignError, type QrDesignField, quietZone } from './qr-design.js';

/**
 * Draws a design, and checks that a decoder reads its payload from the image, byte for byte. Throws a
 * QrDesignError if it does not, with the field that most probably is the cause.
 */
export async function drawVerified(design: QrDesign): Promise<Uint8Array> {
  const file = await drawDesign(design);
  const { backgroundColor, background, format } = design;
  // zxing-cpp decodes opaque PNG files itself, which takes half the time.
  const isOpaquePng = format === 'png' && background === 'solid';
  const read = await readCode(isOpaquePng ? file : await pixelsOf(file, backgroundColor));
  if (read && Buffer.from(design.payload).equals(read)) return file;
  const reason = read ? 'a decoder reads another text' : 'a decoder cannot read the code';
  throw new QrDesignError(...causeOf(design, reason));
}

function causeOf(
  { logo, margin, size }: QrDesign,
  reason: string,
): [field: QrDesignField, message: string] {
  if (logo) return ['logoUrl', `leads to a logo with which ${reason}: use another one`];
  if (margin < quietZone) {
    return ['margin', `${margin} gives an image in which ${reason}: use margin ${quietZone}`];
  }
  return ['size', `${size} gives an image in which ${reason}: use a larger one`];
}
