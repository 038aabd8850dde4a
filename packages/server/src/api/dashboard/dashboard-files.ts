import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { RequestHandler } from 'express';
import { encodeFile, type StaticFile, toStaticFile } from '../../http/static-file.js';

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

async function readFiles(): Promise<ReadonlyMap<string, StaticFile>> {
  const names = await readdir(folder);
  const files = names.map(async (name): Promise<[string, StaticFile]> => {
    const mediaType = mediaTypes[extname(name)] ?? 'application/octet-stream';
    return [name, await toStaticFile(await readFile(new URL(name, folder)), mediaType)];
  });
  return new Map(await Promise.all(files));
}

/** Serves the dashboard: its files, and its page at each other address, whose path the page reads. */
export function serveDashboard(): RequestHandler {
  let files: Promise<ReadonlyMap<string, StaticFile>> | undefined;
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    files ??= readFiles();
    const found = await files;
    const name = request.path.slice(1);
    const file = found.get(name) ?? (extname(name) === '' ? found.get('index.html') : undefined);
    if (!file) return next();
    const { bytes, headers } = encodeFile(file, request.headers);
    response.set({ ...headers, 'Content-Security-Policy': policy, 'Content-Type': file.mediaType });
    if (request.headers['if-none-match'] === file.etag) return void response.status(304).end();
    response.end(bytes);
  };
}
