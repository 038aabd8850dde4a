import { LogoError } from './logo-error.js';
import { logoLimits } from './logo-limits.js';

/**
 * Returns the format that the first bytes of a file indicate; file names and content types are not
 * trusted. `svg` means any markup, which the renderer may refuse. Throws a LogoError when
 * the format or the size is not allowed.
 */
export function checkLogoFile(bytes: Uint8Array): 'png' | 'jpeg' | 'webp' | 'svg' {
  if (bytes.length > logoLimits.rasterBytes) {
    throw new LogoError(`a file of more than ${logoLimits.rasterBytes >> 20} MB`);
  }
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'webp';
  if (!beginsWithMarkup(bytes)) throw new LogoError('a file that is not a PNG, JPEG, WebP or SVG');
  if (bytes.length > logoLimits.svgBytes) {
    throw new LogoError(
      `an SVG of ${bytes.length} bytes: an SVG may have at most ${logoLimits.svgBytes} bytes (${logoLimits.svgBytes >> 10} KB)`,
    );
  }
  return 'svg';
}

const byteOrderMark = [0xef, 0xbb, 0xbf];
const whitespace = new Set([0x09, 0x0a, 0x0d, 0x20]);

function beginsWithMarkup(bytes: Uint8Array): boolean {
  let at = byteOrderMark.every((byte, index) => bytes[index] === byte) ? byteOrderMark.length : 0;
  while (whitespace.has(bytes[at] ?? -1)) at += 1;
  return bytes[at] === 0x3c;
}
