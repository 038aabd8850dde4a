import { createHash } from 'node:crypto';
import type { QrFormat } from './drawing/qr-design.js';
import type { PublicQr } from './qr-repository.js';

/** The image of a QR code, with the headers that every response with the image has. */
export type QrImage = Readonly<ReturnType<typeof toQrImage>>;

export interface FoundImage {
  readonly organizationId: string;
  /** `'deleted'` for a deleted code, `'suspended'` for that of a suspended organization. */
  readonly image: QrImage | 'deleted' | 'suspended';
}

export const mediaTypes = {
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
} as const satisfies Record<QrFormat, string>;

// A browser opens an SVG as a document. The policy allows its inlined logo and nothing else.
const svgPolicy = "default-src 'none'; img-src data:; sandbox";

export function toQrImage(
  {
    id,
    qrData,
    format,
    size,
    linkKey,
    version,
    updatedAt,
  }: Omit<PublicQr, 'image' | 'organizationId' | 'suspendedAt'>,
  image: Uint8Array,
) {
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  // Identifies the image by its change: hashing an image of megabytes takes milliseconds.
  const change = `${version} ${updatedAt}`;
  const etag = `"${createHash('sha256').update(change).digest('base64url').slice(0, 22)}"`;
  const mediaType = mediaTypes[format];
  // Imported codes have slashes and dots, too.
  const fileName = `qr-${linkKey?.replaceAll(/[/.]/g, '-') ?? id}.${format}`;
  const policy = format === 'svg' ? { 'Content-Security-Policy': svgPolicy } : {};
  const headers = {
    'Content-Type': mediaType,
    'Content-Length': bytes.length,
    'X-Content-Type-Options': 'nosniff',
    ...policy,
  };
  return { id, qrData, format, size, mediaType, bytes, etag, fileName, headers };
}

/** Returns what the routes of images serve for a code. */
export function toFoundImage({ image, organizationId, ...qr }: PublicQr): FoundImage {
  if (!image) return { organizationId, image: 'deleted' };
  const isActive = qr.suspendedAt === null;
  return { organizationId, image: isActive ? toQrImage(qr, image) : 'suspended' };
}

// A client stores one tag for an image. Tens of thousands of tags would block the event loop.
const maxIfNoneMatchLength = 4_096;

/**
 * Returns whether an If-None-Match header matches, by weak comparison: RFC 9110 §13.1.2. Reads only the
 * first 4,096 characters of the header.
 */
export function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.slice(0, maxIfNoneMatchLength).split(',');
  return tags.some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
