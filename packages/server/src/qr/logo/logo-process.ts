/**
 * The process that decodes one logo: it says that it is ready, reads an image from standard input,
 * writes the answer to standard output, and ends. `run-logo-process` starts and kills it.
 */
import sharp from 'sharp';
import { decodeLogo } from './decode-logo.js';
import { LogoError } from './logo-error.js';
import { encodeAnswer, type LogoAnswer, requestReader } from './logo-frames.js';

// The memory of one image and no more: nothing here is decoded twice.
sharp.concurrency(1);
sharp.cache(false);
// No other decoder can be reached, whatever the bytes make the library believe.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Svg'].map((kind) => `VipsForeignLoad${kind}Buffer`),
});

const reader = requestReader();
process.stdin.on('data', (chunk: Buffer) => {
  const [image] = reader.push(chunk);
  if (image) void answer(image);
});
// The server is gone. An ordinary exit would wait for the decoder, which may never end.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
process.stdout.write(encodeAnswer({ kind: 'ready' }));

async function answer(image: Uint8Array): Promise<void> {
  const result = await decodeLogo(image).then(
    (raster): LogoAnswer => ({ kind: 'raster', raster }),
    (error: unknown): LogoAnswer =>
      error instanceof LogoError
        ? { kind: 'refusal', reason: error.message }
        : { kind: 'fault', reason: String(error) },
  );
  process.stdout.write(encodeAnswer(result), () => process.exit());
}
