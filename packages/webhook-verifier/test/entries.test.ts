import { gzipSync } from 'node:zlib';
import { EdgeVM } from '@edge-runtime/vm';
import { afterAll, describe, expect, it } from 'vitest';
import * as main from '../src/index.js';
import * as web from '../src/web.js';
import { installPackage } from './packed.js';
import { EVENT, SECRET, sample } from './sample.js';

const installed = await installPackage();
afterAll(() => installed.remove());

const NAME = '@shorty/webhook-verifier';

async function gzipped(contents: string, condition: string): Promise<number> {
  return gzipSync(await installed.bundle(contents, condition), { level: 9 }).length;
}

const entries = ['', '/web', '/express', '/fastify', '/hono', '/dedupe'];

describe('size', () => {
  it.each(entries)('the whole entry "%s" costs at most 4 KB gzipped', async (entry) => {
    const code = `export * from '${NAME}${entry}'`;
    expect(await gzipped(code, 'node')).toBeLessThanOrEqual(4096);
  });
});

describe('entries', () => {
  it.each(['workerd', 'edge-light', 'browser'])('on %s there is no node: import', async (on) => {
    for (const entry of ['', '/hono', '/dedupe']) {
      const code = await installed.bundle(`export * from '${NAME}${entry}'`, on);
      expect(code).not.toMatch(/node:|\brequire\b/);
      expect(code.length).toBeGreaterThan(500);
    }
  });

  it('on Node the main entry also verifies synchronously', async () => {
    const code = await installed.bundle(`export * from '${NAME}'`, 'node');
    expect(code).toContain('node:crypto');
  });

  it('importing a synchronous function on an edge runtime fails the build with its name', async () => {
    const contents = `import { verifyWebhook } from '${NAME}'; verifyWebhook({});`;
    await expect(installed.bundle(contents, 'workerd')).rejects.toThrow(
      /No matching export .* "verifyWebhook"/,
    );
  });

  it('the main entry has all exports of the web entry', () => {
    expect(Object.keys(main)).toEqual(expect.arrayContaining(Object.keys(web)));
  });
});

describe('in an edge runtime', () => {
  async function evaluate(expression: string): Promise<unknown> {
    const contents = `import * as main from '${NAME}'; import * as dedupe from '${NAME}/dedupe';
      globalThis.verifier = { ...main, ...dedupe };`;
    const vm = new EdgeVM();
    vm.evaluate(await installed.bundle(contents, 'edge-light', 'iife'));
    return JSON.parse(await vm.evaluate<Promise<string>>(`(async () => ${expression})()`));
  }
  const request = (init: RequestInit) =>
    `new Request('https://edge.test/hook', ${JSON.stringify({ method: 'POST', ...init })})`;
  const options = JSON.stringify({ secret: SECRET });

  it('verifies a request', async () => {
    const given = request({ ...sample({ now: new Date() }) });
    expect(
      await evaluate(`JSON.stringify(await verifier.verifyRequest(${given}, ${options}))`),
    ).toEqual(EVENT);
  });

  it('runs work once', async () => {
    expect(
      await evaluate(
        `{ const deduper = verifier.createDeduper(); const runs = [];
           for (const id of ['a', 'a', 'b']) runs.push(await deduper.once(id, () => 0));
           return JSON.stringify(runs); }`,
      ),
    ).toEqual([true, false, true]);
  });
});
