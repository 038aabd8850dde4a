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

/** The files by name: a text of ours, or undefined for a file of Swagger UI. */
const files = new Map([
  ['swagger-ui.css', undefined],
  ['swagger-ui-bundle.js', undefined],
  ['docs.css', docsStyle],
  ['docs.js', docsScript],
]);

const require = createRequire(import.meta.url);
const compress = promisify(gzip);
const loaded = new Map<string, Promise<DocsFile>>();

/** Finds a file of the documentation page. It is read and compressed at the first request. */
export async function findDocsFile(name: string): Promise<DocsFile | undefined> {
  if (!files.has(name)) return undefined;
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
  const text = files.get(name);
  const plain =
    text === undefined
      ? await readFile(require.resolve(`swagger-ui-dist/${name}`))
      : Buffer.from(text);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  const mediaType = name.endsWith('.css') ? css : script;
  return { mediaType, etag, plain, gzipped: await compress(plain) };
}
