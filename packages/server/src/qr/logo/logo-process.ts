/**
 * The process that decodes one logo. It reads an image from standard input, writes the result to standard
 * output, and ends. `logo-decoder` starts it with limits.
 */
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { QrDesignError } from '../drawing/qr-design.js';
import { decodeLogo } from './decode-logo.js';
import { logoRefusalCode } from './logo-limits.js';

// Saves memory: this process decodes a single image.
sharp.concurrency(1);
sharp.cache(false);
// Disables all decoders of libvips, and then enables the four allowed ones.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Svg'].map((kind) => `VipsForeignLoad${kind}Buffer`),
});

try {
  const { width, height, rgba } = await decodeLogo(await buffer(process.stdin));
  const size = Buffer.alloc(4);
  size.writeUInt16BE(width, 0);
  size.writeUInt16BE(height, 2);
  process.stdout.write(Buffer.concat([size, rgba]));
} catch (error) {
  if (!(error instanceof QrDesignError)) throw error;
  process.stdout.write(error.message);
  process.exitCode = logoRefusalCode;
}
