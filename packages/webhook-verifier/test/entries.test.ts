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

describe('entries', () => {
  it.each(['', '/web', '/express', '/fastify', '/hono', '/dedupe'])(
    'the whole entry "%s" costs at most 4 KB gzipped',
    async (entry) => {
      const code = await installed.bundle(`export * from '${NAME}${entry}'`, 'node');
      expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(4096);
      // Only on Node, the main entry also verifies synchronously.
      if (entry === '') expect(code).toContain('node:crypto');
    },
  );

  it.each(['workerd', 'edge-light', 'browser'])('on %s there is no node: import', async (on) => {
    for (const entry of ['', '/hono', '/dedupe']) {
      const code = await installed.bundle(`export * from '${NAME}${entry}'`, on);
      expect(code).not.toMatch(/node:|\brequire\b/);
      expect(code.length).toBeGreaterThan(500);
    }
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

  it('verifies a request', async () => {
    const init = { method: 'POST', ...sample({ now: new Date() }) };
    const request = `new Request('https://edge.test/hook', ${JSON.stringify(init)})`;
    const options = JSON.stringify({ secret: SECRET });
    const verify = `JSON.stringify(await verifier.verifyRequest(${request}, ${options}))`;
    expect(await evaluate(verify)).toEqual(EVENT);
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
