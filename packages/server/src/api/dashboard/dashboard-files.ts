import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

// The build of the dashboard writes its files there.
const folder = new URL('../../../dist/dashboard/', import.meta.url);

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';');

interface File {
  readonly etag: string;
  readonly gzipped: Buffer;
  readonly mediaType: string;
  readonly plain: Buffer;
}

async function readFiles(): Promise<ReadonlyMap<string, File>> {
  const names = await readdir(folder);
  const files = names.map(async (name): Promise<[string, File]> => {
    const plain = await readFile(new URL(name, folder));
    const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    const mediaType = mediaTypes[extname(name)] ?? 'application/octet-stream';
    const gzipped = await promisify(gzip)(plain);
    return [name, { plain, gzipped, etag: `"${digest}"`, mediaType }];
  });
  return new Map(await Promise.all(files));
}

/** Serves the dashboard: its files, and its page at each other address, whose path the page reads. */
export function serveDashboard(): RequestHandler {
  let files: Promise<ReadonlyMap<string, File>> | undefined;
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    files ??= readFiles();
    const found = await files;
    const name = request.path.slice(1);
    const file = found.get(name) ?? (extname(name) === '' ? found.get('index.html') : undefined);
    if (!file) return next();
    response.set({
      'Content-Security-Policy': policy,
      'Content-Type': file.mediaType,
      // Browsers ask at each load, so that they have the files of a new version at once.
      'Cache-Control': 'no-cache',
      ETag: file.etag,
      Vary: 'Accept-Encoding',
    });
    if (request.headers['if-none-match'] === file.etag) return void response.status(304).end();
    const isGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (isGzip) response.set('Content-Encoding', 'gzip');
    response.end(isGzip ? file.gzipped : file.plain);
  };
}
