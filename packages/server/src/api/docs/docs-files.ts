import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { docsScript } from './docs-script.js';
import { docsStyle } from './docs-style.js';

export interface DocsFile {
  readonly mediaType: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

const sources: Readonly<
  Record<string, { mediaType: string; read: () => Promise<Buffer> | Buffer }>
> = {
  'swagger-ui.css': { mediaType: css, read: () => readVendored('swagger-ui.css') },
  'swagger-ui-bundle.js': { mediaType: script, read: () => readVendored('swagger-ui-bundle.js') },
  'docs.css': { mediaType: css, read: () => Buffer.from(docsStyle) },
  'docs.js': { mediaType: script, read: () => Buffer.from(docsScript) },
};

const require = createRequire(import.meta.url);
const compress = promisify(gzip);
const loaded = new Map<string, Promise<DocsFile>>();

/** Finds a file of the documentation page. It is read and compressed at the first request. */
export async function findDocsFile(name: string): Promise<DocsFile | undefined> {
  if (!Object.hasOwn(sources, name)) return undefined;
  let file = loaded.get(name);
  if (file === undefined) {
    file = load(name);
    loaded.set(name, file);
    // A file that could not be read is read again at the next request.
    file.catch(() => loaded.delete(name));
  }
  return file;
}

async function load(name: string): Promise<DocsFile> {
  const source = sources[name] as (typeof sources)[string];
  const plain = await source.read();
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { mediaType: source.mediaType, etag, plain, gzipped: await compress(plain) };
}

function readVendored(file: string): Promise<Buffer> {
  return readFile(require.resolve(`swagger-ui-dist/${file}`));
}
