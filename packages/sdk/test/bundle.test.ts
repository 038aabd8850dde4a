import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { isShortyError, ShortyError } from '../src/errors.js';

const budgetBytes = 12 * 1024;

/** Bundles an entry of the package with its imports, without what is loaded on demand. */
async function bundle(entry: string, platform: 'browser' | 'node') {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url))],
    bundle: true,
    splitting: true,
    outdir: '/',
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform,
    packages: 'external',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const outside = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(({ external }) => external).map(({ path }) => path),
  );
  const sizes = outputFiles.map(({ contents }) => gzipSync(contents).byteLength);
  const [code] = outputFiles.filter(({ path }) => path.endsWith(`${entry}.js`));
  return { code: code?.contents ?? new Uint8Array(), outside, sizes };
}

async function importBundle() {
  const { code } = await bundle('index', 'browser');
  const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  return import(/* @vite-ignore */ url);
}

describe('the main entry', () => {
  it('imports neither Node modules nor other packages', async () => {
    const { outside, code } = await bundle('index', 'browser');
    expect(outside).toEqual([]);
    const text = new TextDecoder().decode(code);
    expect(text).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\.|\brequire\(/);
  });

  it(`takes less than ${budgetBytes} bytes minified and compressed`, async () => {
    const { code } = await bundle('index', 'browser');
    const size = gzipSync(code).byteLength;
    expect(size).toBeGreaterThan(1024);
    expect(size).toBeLessThan(budgetBytes);
  });

  it('loads bulk calls, polling and tokens on demand, each in less than 1 KB', async () => {
    const { sizes } = await bundle('index', 'browser');
    expect(sizes).toHaveLength(4);
    expect(Math.max(...sizes.slice(1))).toBeLessThan(1024);
  });

  it('runs with web globals only', async () => {
    const { Shorty } = await importBundle();
    const data = { plan: 'free' };
    const fetch = async () => Response.json({ success: true, data });
    const shorty = new Shorty({ baseUrl: 'https://sho.test', accessToken: 'token', fetch });
    await expect(shorty.usage.get()).resolves.toEqual(data);
  });
});

it('recognizes the errors of another copy of the package', async () => {
  const { NotFoundError } = await importBundle();
  const error = new NotFoundError('x');
  expect(error).not.toBeInstanceOf(ShortyError);
  expect(isShortyError(error)).toBe(true);
});

it('takes about 2 KB for one call of the core entry', async () => {
  const contents = `import { call, createUrl } from './core.js';
    export const create = (server, body) => call(server, createUrl, { body });`;
  const resolveDir = fileURLToPath(new URL('../src', import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const size = gzipSync(outputFiles[0]?.contents ?? '').byteLength;
  expect(size).toBeGreaterThan(512);
  expect(size).toBeLessThan(2.5 * 1024);
});

describe('the entry for Node', () => {
  it('imports undici and modules of Node only', async () => {
    const { outside } = await bundle('node', 'node');
    expect(outside).toEqual(['undici', 'node:util', 'node:zlib']);
  });
});
