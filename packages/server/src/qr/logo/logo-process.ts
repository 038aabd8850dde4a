/**
 * The process that decodes one logo. It reports that it is ready, reads an image from standard
 * input, writes the result to standard output, and ends. `run-logo-process` starts and kills it.
 */
import sharp from 'sharp';
import { decodeLogo } from './decode-logo.js';
import { LogoError } from './logo-error.js';
import { encodeMessage, imageReader, type LogoMessage } from './logo-messages.js';

// Saves memory: this process decodes a single image.
sharp.concurrency(1);
sharp.cache(false);
// Disables every decoder of libvips but these four.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Svg'].map((kind) => `VipsForeignLoad${kind}Buffer`),
});

const reader = imageReader();
process.stdin.on('data', (chunk: Buffer) => {
  const [image] = reader.push(chunk);
  if (image) void respond(image);
});
// The server has ended. An ordinary exit would wait for the decoder, which may hang.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
process.stdout.write(encodeMessage({ kind: 'ready' }));

async function respond(image: Uint8Array): Promise<void> {
  const result = await decodeLogo(image).then(
    (raster): LogoMessage => ({ kind: 'raster', raster }),
    (error: unknown): LogoMessage =>
      error instanceof LogoError
        ? { kind: 'refusal', reason: error.message }
        : { kind: 'error', reason: String(error) },
  );
  process.stdout.write(encodeMessage(result), () => process.exit());
}
