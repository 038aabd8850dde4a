export type ImageKind = 'png' | 'jpeg' | 'webp' | 'svg';

/**
 * Returns the format that the first bytes of a file indicate; file names and content types are not
 * trusted. `svg` means any markup: `rebuildSvg` decides whether it is an SVG.
 */
export function imageKind(bytes: Uint8Array): ImageKind | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12));
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp';
  return beginsWithMarkup(bytes) ? 'svg' : undefined;
}

const byteOrderMark = [0xef, 0xbb, 0xbf];
const whitespace = new Set([0x09, 0x0a, 0x0d, 0x20]);

function beginsWithMarkup(bytes: Uint8Array): boolean {
  let at = byteOrderMark.every((byte, index) => bytes[index] === byte) ? byteOrderMark.length : 0;
  while (whitespace.has(bytes[at] ?? -1)) at += 1;
  return bytes[at] === 0x3c;
}
