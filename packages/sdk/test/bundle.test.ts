import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { isShortyError, ShortyError } from '../src/errors.js';

const budgetBytes = 12 * 1024;

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
const { contents = new Uint8Array(), text = '' } = outputFiles[0] ?? {};

it('the main entry imports neither Node modules nor other packages', () => {
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
  expect(text).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\.|\brequire\(/);
});

it(`the main entry takes less than ${budgetBytes} bytes minified and compressed`, () => {
  const size = gzipSync(contents).byteLength;
  expect(size).toBeGreaterThan(1024);
  expect(size).toBeLessThan(budgetBytes);
});

it('recognizes the errors of another copy of the package', async () => {
  const url = `data:text/javascript;base64,${Buffer.from(contents).toString('base64')}`;
  const { NotFoundError } = await import(/* @vite-ignore */ url);
  const error = new NotFoundError('x');
  expect(error).not.toBeInstanceOf(ShortyError);
  expect(isShortyError(error)).toBe(true);
});
