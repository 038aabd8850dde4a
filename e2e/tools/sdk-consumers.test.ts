import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createServer, type ShortyServer } from '@shorty/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launchBrowser } from '../lib/browser.js';
import { root } from '../lib/processes.js';

// Installs the packed SDK in a folder with other runtimes, bundlers, test runners and
// compilers, and uses them there as a program of a user does.
const folder = mkdtempSync(join(tmpdir(), 'shorty-sdk-consumers-'));
let server: ShortyServer;
let env: NodeJS.ProcessEnv;

const run = async (command: string, ...args: string[]) => {
  const child = promisify(execFile)(command, args, { cwd: folder, env, maxBuffer: 2 ** 26 });
  const { stdout } = await child.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${command} ${args.join(' ')} failed: ${error.stdout}${error.stderr}`);
  });
  return stdout;
};
const bin = (name: string) => join(folder, 'node_modules/.bin', name);
const write = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};

// Uses the code that is loaded on demand, too.
const scenario = `
async function scenario(sdk, options) {
  const shorty = new sdk.Shorty(options);
  const { created } = await shorty.urls.bulkCreate([
    { targetUrl: 'https://example.com/a' },
    { targetUrl: 'https://example.com/b' },
  ]);
  const ids = (await shorty.urls.list().toArray({ limit: 2 })).map(({ id }) => id);
  const error = await shorty.urls.get('999999999').catch((reason) => reason);
  if (!(error instanceof sdk.NotFoundError)) throw error;
  if (!created.every(({ id }) => ids.includes(id))) throw new Error('wrong list: ' + ids);
  return 'sdk works';
}`;

// Needs no server.
const mocked = `
async function mocked(sdk, { fail, fixtures, handlers, respond }, { setupServer }) {
  const baseUrl = 'https://sho.example';
  const server = setupServer(...handlers({ baseUrl }));
  server.listen({ onUnhandledRequest: 'error' });
  const shorty = new sdk.Shorty({ baseUrl, apiKey: 'x', maxRetries: 0 });
  server.use(respond('getUrl', { title: 'Sale' }), fail('createUrl', 'SLUG_CONFLICT'));
  const { title } = await shorty.urls.get('42');
  const error = await shorty.urls.create({ targetUrl: 'https://example.com' }).catch((e) => e);
  const { total } = await shorty.urls.list();
  server.close();
  return [title, error.code, total === fixtures.listUrls.total].join(' ');
}`;

beforeAll(async () => {
  const { pack } = await import(join(root, 'scripts/pack.mjs'));
  const { sdk } = pack(join(folder, 'release'));
  copyFileSync(
    join(import.meta.dirname, 'sdk-consumers/package.json'),
    join(folder, 'package.json'),
  );
  env = process.env;
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', 'install', ...flags, sdk);
  server = createServer({ corsOrigins: '*' });
  await server.start();
  env = {
    ...process.env,
    // Without the options of the process that runs these tests.
    NODE_OPTIONS: '',
    VITEST: '',
    NEXT_TELEMETRY_DISABLED: '1',
    SHORTY_BASE_URL: server.url,
    SHORTY_CLIENT_ID: server.credentials?.clientId,
    SHORTY_CLIENT_SECRET: server.credentials?.clientSecret,
  };
  write({
    'esm.mjs': `import * as sdk from '@shorty/sdk';${scenario}
      console.log(await scenario(sdk));`,
    'cjs.cjs': `const sdk = require('@shorty/sdk');${scenario}
      scenario(sdk).then(console.log);`,
  });
}, 300_000);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed SDK runs', () => {
  it.each([
    ['Node, as ES modules', 'node', 'esm.mjs'],
    ['Node, as CommonJS', 'node', 'cjs.cjs'],
    ['Bun', 'bun', 'run', 'esm.mjs'],
    ['Deno', 'deno', 'run', '--allow-all', '--node-modules-dir=manual', 'esm.mjs'],
  ])('on %s', async (_name, command, ...args) => {
    const stdout = await run(command === 'node' ? process.execPath : bin(command), ...args);
    expect(stdout).toContain('sdk works');
  });
});

it('Next.js renders a page with the packed SDK', async () => {
  mkdirSync(join(folder, 'app'));
  write({
    'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
    'app/page.js': `import * as sdk from '@shorty/sdk';${scenario}
        export default async () => <p>{await scenario(sdk)}</p>;`,
  });
  await run(bin('next'), 'build');
  expect(readFileSync(join(folder, '.next/server/app/index.html'), 'utf8')).toContain('sdk works');
});

describe('the packed SDK runs in tests of', () => {
  it('Jest and Vitest, with the handlers of @shorty/sdk/testing', async () => {
    const check = `async () => expect(await mocked(sdk, testing, msw)).toBe('Sale SLUG_CONFLICT true')`;
    const imports = `import * as sdk from '@shorty/sdk';
      import * as testing from '@shorty/sdk/testing';
      import * as msw from 'msw/node';${mocked}`;
    write({
      'mocked-jest.test.mjs': `${imports} test('jest', ${check});`,
      'mocked-vitest.test.mjs': `import { expect, test } from 'vitest'; ${imports} test('vitest', ${check});`,
      'mocked.cjs': `const sdk = require('@shorty/sdk');
        const testing = require('@shorty/sdk/testing');
        const msw = require('msw/node');${mocked}
        mocked(sdk, testing, msw).then(console.log);`,
    });
    expect(await run(process.execPath, 'mocked.cjs')).toBe('Sale SLUG_CONFLICT true\n');
    await run(bin('vitest'), 'run', 'mocked-vitest.test.mjs');
    const jest = join(folder, 'node_modules/jest/bin/jest.js');
    const flags = ['--experimental-vm-modules', jest, '--testMatch', '**/mocked-jest.test.mjs'];
    await run(process.execPath, ...flags);
  });
});

it('concurrent requests share a cold client on workerd', async () => {
  write({
    'worker-source.mjs': `import { Shorty } from '@shorty/sdk';
      const clients = new Map();
      export default {
        async fetch(request, env) {
          const { pathname } = new URL(request.url);
          if (!clients.has(pathname)) clients.set(pathname, new Shorty(env));
          const { plan } = await clients.get(pathname).usage.get();
          return new Response(plan);
        },
      };`,
    'miniflare.mjs': `import { Miniflare } from 'miniflare';
      const { SHORTY_BASE_URL: baseUrl, SHORTY_CLIENT_ID: clientId, SHORTY_CLIENT_SECRET: clientSecret } = process.env;
      const worker = new Miniflare({
        modules: true,
        scriptPath: 'worker.mjs',
        compatibilityDate: '2025-06-01',
        bindings: { baseUrl, clientId, clientSecret },
      });
      const outcomes = new Set();
      for (let round = 0; round < 20; round++) {
        // Each body is read at once: undici cancels it when the response that Miniflare has wrapped
        // is collected.
        const requests = Array.from({ length: 10 }, () =>
          worker.dispatchFetch('http://worker/' + round).then((response) => response.text()));
        for (const text of await Promise.all(requests)) outcomes.add(text);
      }
      await worker.dispose();
      console.log(JSON.stringify([...outcomes]));`,
  });
  const flags = ['--bundle', '--format=esm', '--platform=browser', '--outfile=worker.mjs'];
  await run(bin('esbuild'), 'worker-source.mjs', ...flags);
  expect(JSON.parse(await run(process.execPath, 'miniflare.mjs'))).toEqual(['enterprise']);
});

it('a page of another origin uses the packed SDK in Chromium', async () => {
  write({
    'page-source.mjs': `import * as sdk from '@shorty/sdk';${scenario}
      globalThis.runScenario = (options) => scenario(sdk, options);`,
  });
  await run(bin('esbuild'), 'page-source.mjs', '--bundle', '--format=iife', '--outfile=page.js');
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    // A real server: Chromium does not let a page of an unknown address reach localhost.
    const html = `<script>${readFileSync(join(folder, 'page.js'), 'utf8')}</script>`;
    const host = createHttpServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(html);
    });
    onTestFinished(() => {
      host.close();
    });
    await once(host.listen(0, 'localhost'), 'listening');
    const { port } = host.address() as AddressInfo;
    await page.goto(`http://localhost:${port}/`);
    const call = `runScenario(${JSON.stringify({ baseUrl: server.url, ...server.credentials })})`;
    // As text: vitest cannot read the sources that the stack of a page names.
    expect(await page.evaluate(`${call}.catch(String)`)).toBe('sdk works');
  } finally {
    await browser.close();
  }
});

describe('the types compile without skipLibCheck on', () => {
  const source = `
    import { ConflictError, Shorty, type UrlRecord } from '@shorty/sdk';
    import { verifyWebhook } from '@shorty/sdk/webhooks';
    const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'x' });
    export const url: Promise<UrlRecord> = shorty.urls.update(1, { expiresAt: new Date() });
    void shorty.urls.create({ targetUrl: 'x', title: undefined, tags: undefined });
    void shorty.urls.create({ targetUrl: 'x', tags: ['spring', 'sale'] as const });
    void shorty.urls.list({ tag: undefined });
    export const list: Promise<string[]> = shorty.urls.list().toArray().then((all) => all.map(({ id }) => id));
    export const read = shorty.request('GET', '/api/v1/urls/{id}', { params: { id: 1 } });
    export const code = (error: ConflictError): string | undefined => error.code;
    export const type: string = verifyWebhook({ body: '', headers: {}, secret: '' }).type;
    // @ts-expect-error
    void shorty.urls.create({ title: 'x' });
  `;
  const testing = `
    import { fail, fixtures, handlers, respond } from '@shorty/sdk/testing';
    import { setupServer } from 'msw/node';
    export const mocks = setupServer(...handlers(), respond('getUrl', { title: 'x' }), fail('createUrl', 429));
    export const title: string | null = fixtures.getUrl.title;
    // @ts-expect-error
    void fail('createUrl', 'NO_SUCH_CODE');
    // @ts-expect-error
    void respond('getUrl', { tittle: 'x' });
  `;

  it('Deno', async () => {
    write({ 'types.mts': source });
    await run(bin('deno'), 'check', '--node-modules-dir=manual', 'types.mts');
  });

  it.each(['typescript-5.0', 'typescript'])('%s', async (name) => {
    write({ 'types.mts': source, 'types.cts': source, 'testing.mts': testing });
    const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022'];
    const lib = ['--lib', 'es2022,dom,dom.iterable', '--types', 'node'];
    const compiler = join(folder, 'node_modules', name, 'bin/tsc');
    const options = [...flags, ...lib, '--module', 'nodenext', '--moduleResolution', 'nodenext'];
    await run(process.execPath, compiler, ...options, 'types.mts', 'types.cts');
    const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const exact = '--exactOptionalPropertyTypes';
    await run(process.execPath, compiler, ...flags, ...lib, ...bundler, exact, 'types.mts');
    // The types of MSW itself need a newer TypeScript, or skipLibCheck.
    const output = await run(process.execPath, compiler, ...options, 'testing.mts').catch(String);
    // The first one follows the message of `run` on the same line.
    const errors = output.match(/\S+(?=\(\d+,\d+\): error TS)/g) ?? [];
    expect(errors.filter((file) => !file.startsWith('node_modules/msw/'))).toEqual([]);
  });
});
