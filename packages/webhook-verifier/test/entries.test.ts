import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { EdgeVM } from '@edge-runtime/vm';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import * as main from '../src/index.js';
import * as web from '../src/web.js';
import { EVENT, SECRET, sample } from './sample.js';

const NAME = '@shorty/webhook-verifier';

// The package, as a consumer's node_modules has it, from today's sources.
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'webhook-verifier-'));
afterAll(() => rm(folder, { recursive: true }));
const installed = join(folder, 'node_modules', NAME);
await cp(join(root, 'package.json'), join(installed, 'package.json'), { recursive: true });
await build({
  entryPoints: ['', 'adapters/', 'generated/'].map((part) => join(root, `src/${part}*.ts`)),
  outdir: join(installed, 'dist'),
  format: 'esm',
  target: 'es2022',
});

/** Bundles code that imports the package. */
async function bundle(contents: string, condition: string, format: 'esm' | 'iife' = 'esm') {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format,
    conditions: [condition],
    platform: condition === 'node' ? 'node' : 'neutral',
    target: 'es2022',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

it.each(['', '/web', '/express', '/fastify', '/hono', '/dedupe'])(
  'the whole entry "%s" costs at most 4 KB gzipped',
  async (entry) => {
    const code = await bundle(`export * from '${NAME}${entry}'`, 'node');
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(4096);
    // Only on Node, the main entry also verifies synchronously.
    if (entry === '') expect(code).toContain('node:crypto');
  },
);

it.each(['workerd', 'edge-light', 'browser'])('on %s there is no node: import', async (on) => {
  for (const entry of ['', '/hono', '/dedupe']) {
    const code = await bundle(`export * from '${NAME}${entry}'`, on);
    expect(code).not.toMatch(/node:|\brequire\b/);
    expect(code.length).toBeGreaterThan(500);
  }
});

it('importing a synchronous function on an edge runtime fails the build with its name', async () => {
  const contents = `import { verifyWebhook } from '${NAME}'; verifyWebhook({});`;
  await expect(bundle(contents, 'workerd')).rejects.toThrow(
    /No matching export .* "verifyWebhook"/,
  );
});

it('the main entry has all exports of the web entry', () => {
  expect(Object.keys(main)).toEqual(expect.arrayContaining(Object.keys(web)));
});

it('an edge runtime verifies a request', async () => {
  const vm = new EdgeVM();
  const contents = `import * as main from '${NAME}'; globalThis.verifier = main;`;
  vm.evaluate(await bundle(contents, 'edge-light', 'iife'));
  const init = { method: 'POST', ...sample({ now: new Date() }) };
  const request = `new Request('https://edge.test/hook', ${JSON.stringify(init)})`;
  const options = JSON.stringify({ secret: SECRET });
  const verified = vm.evaluate<Promise<unknown>>(`verifier.verifyRequest(${request}, ${options})`);
  expect(JSON.parse(JSON.stringify(await verified))).toEqual(EVENT);
});
