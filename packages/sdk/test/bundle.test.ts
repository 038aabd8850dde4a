import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { isShortyError, ShortyError } from '../src/errors.js';

const budgetBytes = 12 * 1024;

/** Bundles the main entry with its imports. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    packages: 'external',
    metafile: true,
    write: false,
    outdir: '/',
    logLevel: 'silent',
  });
  const outside = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(({ external }) => external).map(({ path }) => path),
  );
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), outside };
}

async function importBundle() {
  const { code } = await bundle();
  const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  return import(/* @vite-ignore */ url);
}

describe('the main entry', () => {
  it('imports neither Node modules nor other packages', async () => {
    const { outside, code } = await bundle();
    expect(outside).toEqual([]);
    const text = new TextDecoder().decode(code);
    expect(text).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\.|\brequire\(/);
  });

  it(`takes less than ${budgetBytes} bytes minified and compressed`, async () => {
    const { code } = await bundle();
    const size = gzipSync(code).byteLength;
    expect(size).toBeGreaterThan(1024);
    expect(size).toBeLessThan(budgetBytes);
  });
});

it('recognizes the errors of another copy of the package', async () => {
  const { NotFoundError } = await importBundle();
  const error = new NotFoundError('x');
  expect(error).not.toBeInstanceOf(ShortyError);
  expect(isShortyError(error)).toBe(true);
});
