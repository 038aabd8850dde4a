import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export type StaticFile = Awaited<ReturnType<typeof toStaticFile>>;

export async function toStaticFile(plain: Buffer, mediaType: string) {
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { plain, mediaType, etag: `"${digest}"`, gzipped: await promisify(gzip)(plain) };
}

/** Returns the bytes and the headers of a response with a file, in a form that the client takes. */
export function encodeFile(
  { plain, gzipped, etag }: StaticFile,
  { 'accept-encoding': accepted = '' }: IncomingHttpHeaders,
) {
  const isGzip = /\bgzip\b/.test(`${accepted}`);
  return {
    bytes: isGzip ? gzipped : plain,
    headers: {
      ETag: etag,
      // Browsers ask at each load, so that they have the files of a new version at once.
      'Cache-Control': 'no-cache',
      Vary: 'Accept-Encoding',
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
    },
  };
}
