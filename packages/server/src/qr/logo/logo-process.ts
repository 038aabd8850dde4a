/**
 * The process that decodes one logo. It writes one byte when it is ready. Then it reads an image from
 * standard input, whose length is its argument, writes the result to standard output, and ends.
 * `run-logo-process` starts and kills it.
 */
import sharp from 'sharp';
import { decodeLogo } from './decode-logo.js';
import { LogoError } from './logo-error.js';
import { logoExitCodes } from './logo-limits.js';

// Saves memory: this process decodes a single image.
sharp.concurrency(1);
sharp.cache(false);
// Disables all decoders of libvips, and then enables the four allowed ones.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Svg'].map((kind) => `VipsForeignLoad${kind}Buffer`),
});

const image = Buffer.alloc(Number(process.argv[2]));
let received = 0;
process.stdin.on('data', (chunk: Buffer) => {
  received += chunk.copy(image, received);
  if (received === image.length) void respond();
});
// The input ends when the server has ended. An ordinary exit would wait for the decoder, which may hang.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
process.stdout.write(Buffer.from([0]));

async function respond(): Promise<void> {
  try {
    const { width, height, rgba } = await decodeLogo(image);
    const size = Buffer.alloc(4);
    size.writeUInt16BE(width, 0);
    size.writeUInt16BE(height, 2);
    process.stdout.write(Buffer.concat([size, rgba]), () => process.exit());
  } catch (error) {
    if (error instanceof LogoError) {
      process.stdout.write(error.message, () => process.exit(logoExitCodes.refusal));
    } else process.stderr.write(String(error), () => process.exit(logoExitCodes.error));
  }
}
