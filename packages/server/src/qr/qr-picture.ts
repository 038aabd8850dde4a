import { createHash } from 'node:crypto';
import type { QrFormat } from './drawing/qr-design.js';
import type { PublicQr } from './qr-repository.js';

/** A picture as visitors get it: all that can be known before a request comes is worked out. */
export interface QrPicture extends Pick<PublicQr, 'qrData' | 'format' | 'size'> {
  readonly id: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** For a picture that is shown, and for one that is saved. */
  readonly headers: { readonly shown: readonly string[]; readonly saved: readonly string[] };
}

export const mediaTypes = {
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
} as const satisfies Record<QrFormat, string>;

/** May be kept, and must be asked for all the same: a change takes hold at once. */
export const pictureCacheControl = 'public, no-cache';

// An SVG that is opened by itself is a document: it may show its logo, and do nothing else.
const svgPolicy = "default-src 'none'; img-src data:; sandbox";

export function toPicture(
  { id, qrData, format, size, linkKey }: PublicQr,
  picture: Uint8Array,
): QrPicture {
  const bytes = Buffer.from(picture);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const mediaType = mediaTypes[format];
  // A key has letters, digits and hyphens only, as an id has.
  const fileName = `qr-${linkKey ?? id}.${format}`;
  const headersOf = (disposition: string) => [
    'Content-Type',
    mediaType,
    'Content-Length',
    String(bytes.length),
    'Content-Disposition',
    `${disposition}; filename="${fileName}"`,
    'ETag',
    etag,
    'Cache-Control',
    pictureCacheControl,
    'X-Content-Type-Options',
    'nosniff',
    ...(format === 'svg' ? ['Content-Security-Policy', svgPolicy] : []),
  ];
  const headers = { shown: headersOf('inline'), saved: headersOf('attachment') };
  return { id, qrData, format, size, mediaType, bytes, etag, headers };
}

/** Whether an If-None-Match names a picture: RFC 9110 §13.1.2, by weak comparison. */
export function isNamedBy(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((name) => name.trim().replace(/^W\//, '') === etag);
}
