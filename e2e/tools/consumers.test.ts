import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {
  createServer as createHttpServer,
  request as httpRequest,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { createServer, type ShortyServer } from '@shorty/server';
import { type SignOptions, signBody, signWebhook } from '@shorty/webhook-verifier';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { launchBrowser } from '../lib/browser.js';
import { freePort, root, tool } from '../lib/processes.js';

// Installs the packed SDK and the packed verifier in one folder with frameworks, runtimes, bundlers, test
// runners and compilers, and uses them there as a program of a user does. Each receiver of
// examples/receivers runs with its real framework or language.
const folder = mkdtempSync(join(tmpdir(), 'shorty-consumers-'));
const hosts = join(import.meta.dirname, 'consumers');
const examples = join(root, 'examples/receivers');
const secret = 'shorty_ws_ключ';
const bin = (name: string) => join(folder, 'node_modules/.bin', name);
// Without the options of the process that runs these tests.
const settings = { NODE_OPTIONS: '', VITEST: '', NEXT_TELEMETRY_DISABLED: '1' };
let server: ShortyServer;
let env: NodeJS.ProcessEnv = { ...process.env, ...settings };

async function runIn(cwd: string, command: string, ...args: string[]): Promise<string> {
  const child = promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
  const { stdout } = await child.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${command} ${args.join(' ')} failed: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}
const run = (command: string, ...args: string[]) => runIn(folder, command, ...args);
const write = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};

beforeAll(async () => {
  const { pack } = await import(join(root, 'scripts/pack.mjs'));
  const { sdk, 'webhook-verifier': verifier } = pack(join(folder, 'release'));
  copyFileSync(join(hosts, 'package.json'), join(folder, 'package.json'));
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', 'install', ...flags, sdk, verifier);
  server = createServer({ corsOrigins: '*' });
  await server.start();
  env = {
    ...env,
    SHORTY_BASE_URL: server.url,
    SHORTY_CLIENT_ID: server.credentials?.clientId,
    SHORTY_CLIENT_SECRET: server.credentials?.clientSecret,
  };
}, 300_000);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 300_000);

/** Sends a request on a new connection and returns the status, or 'reset' if the receiver closes it. */
function post(url: string, headers: OutgoingHttpHeaders, body: string): Promise<number | 'reset'> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      response.on('close', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve('reset');
      else reject(error);
    });
    request.end(body);
  });
}

interface Program {
  readonly command: readonly string[];
  /** The names of the files, the first by default. */
  readonly files?: readonly string[];
  readonly paths?: readonly string[];
  /** A program of receivers/ that calls the example. */
  readonly host?: string;
  /** A command that builds it. */
  readonly build?: readonly string[];
  /** Changes the example. */
  readonly change?: (code: string) => string;
  /** Whether it refuses bodies that have no Content-Type. */
  readonly needsType?: true;
}

const node = process.execPath;
const nest = '--tsconfig-raw={"compilerOptions":{"experimentalDecorators":true}}';

const programs: Readonly<Record<string, Program>> = {
  'node.mjs': { command: [node, 'node.mjs'] },
  'express.mjs': { command: [node, 'express.mjs'] },
  'express.mjs, Express 4': {
    command: [node, 'express.mjs'],
    change: (code) => code.replace(`from 'express'`, `from 'express-4'`),
  },
  'fastify.mjs': { command: [node, 'fastify.mjs'] },
  'hono.mjs': { command: [node, 'hono.mjs'] },
  'koa.mjs': { command: [node, 'koa.mjs'] },
  'nest.ts': {
    build: [bin('esbuild'), 'nest.ts', '--format=esm', '--outfile=nest.mjs', nest],
    command: [node, 'nest.mjs'],
    needsType: true,
  },
  'next.js': {
    files: ['app/hook/route.js', 'pages/api/hook.js'],
    // A production build takes longer than all others. The one with the SDK is below.
    command: [bin('next'), 'dev', '--port=3000', '--hostname=127.0.0.1'],
    paths: ['/hook', '/api/hook'],
  },
  'lambda.mjs': {
    host: 'lambda-host.mjs',
    command: [node, 'lambda-host.mjs'],
    paths: ['/hook', '/base64'],
  },
  'gcp.mjs': {
    command: [bin('functions-framework'), '--target=hook', '--source=gcp.mjs', '--port=3000'],
    needsType: true,
  },
  'azure.mjs': { host: 'azure-host.mjs', command: [node, 'azure-host.mjs'] },
  'worker.mjs': {
    host: 'worker-host.mjs',
    build: [
      bin('esbuild'),
      'worker.mjs',
      ...['--bundle', '--format=esm', '--conditions=workerd', '--outfile=bundle.mjs'],
    ],
    command: [node, 'worker-host.mjs'],
  },
  'bun.mjs': { command: [bin('bun'), 'run', 'bun.mjs'] },
  'deno.mjs': {
    command: [bin('deno'), 'run', '--allow-all', '--node-modules-dir=manual', 'deno.mjs'],
  },
  'receiver.py': { command: ['python3', 'receiver.py'] },
  'receiver.go': { command: [tool('go'), 'run', 'receiver.go'] },
  'hook.php': { command: [tool('php'), '-S', '127.0.0.1:3000', 'hook.php'] },
  'receiver.rb': { command: [tool('ruby'), 'receiver.rb'] },
};

/** Starts a program on a free port. Returns its origin, and a function that returns its output. */
async function start(name: string, program: Program) {
  const port = String(await freePort());
  // Below the folder, so that Node finds the packages.
  const cwd = join(folder, port);
  const put = (file: string, code: string) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), code.replaceAll('3000', port));
  };
  put('package.json', '{}');
  const { change = (code: string) => code } = program;
  for (const file of program.files ?? [name.split(',')[0] ?? '']) {
    put(file, change(readFileSync(join(examples, file), 'utf8')));
  }
  if (program.host) put(program.host, readFileSync(join(hosts, program.host), 'utf8'));
  const [build, ...flags] = program.build ?? [];
  if (build) await runIn(cwd, build, ...flags);
  const [command = '', ...args] = program.command.map((each) => each.replaceAll('3000', port));
  const child = spawn(command, args, {
    cwd,
    env: { ...env, SHORTY_WEBHOOK_SECRET: secret, GO111MODULE: 'off', TMPDIR: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, because `go run` and Next.js start further processes.
    detached: true,
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  onTestFinished(({ task }) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    if (task.result?.state === 'fail') console.log(log);
  });
  const origin = `http://127.0.0.1:${port}`;
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}: ${log}`);
    return post(`${origin}/`, {}, '').catch(() => 0);
  };
  await poll(`${name} answers`, answers, Boolean);
  return { origin, printed: () => log };
}

const event = {
  id: '0198c0de-0000-7000-8000-000000000001',
  createdAt: '2030-01-01T00:00:00.000Z',
  type: 'url.created',
  data: { id: '42', title: 'Grüße 🎉', targetUrl: 'https://example.com/ü' },
} as const;
const sign = (options: SignOptions = { secret }) => signWebhook(event, options);

async function check(url: string, { needsType }: Program, printed: () => string): Promise<void> {
  const before = printed().length;
  const { headers, body } = sign();
  const { 'Content-Type': _type, ...untyped } = headers;
  const { 'X-Service-Signature': _signature, ...unsigned } = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('webhook-')),
  );
  // The headers of Standard Webhooks only.
  const standard = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('X-Service-')),
  );
  const timestamps = (text: string) => ({
    'X-Service-Timestamp': text,
    'webhook-timestamp': text,
  });
  const wrong = sign({ secret: 'wrong' }).headers;
  const old = sign({ secret, now: new Date(Date.now() - 600_000) }).headers;
  const large = JSON.stringify({ ...event, padding: 'x'.repeat(3_000_000) });
  const last = signWebhook({ type: 'domain.verified', data: {} }, { secret });
  const refused = [400, 401];
  const cases: [string, OutgoingHttpHeaders, string, readonly unknown[]][] = [
    ['valid', { ...headers }, body, [204]],
    ['with the old secret', { ...sign({ secret: ['new', secret] }).headers }, body, [204]],
    ['with the new secret', { ...sign({ secret: [secret, 'old'] }).headers }, body, [204]],
    [
      'with the middle secret',
      { ...sign({ secret: ['new', secret, 'old'] }).headers },
      body,
      [204],
    ],
    ['forged', { ...wrong }, body, [401]],
    ['changed', { ...headers }, body.replace('42', '43'), [401]],
    ['too old', { ...old }, body, [401]],
    ['without headers', { 'Content-Type': 'application/json' }, body, [401]],
    ['without a body', { ...headers }, '', refused],
    ['without anything', {}, '', [401]],
    ['without Content-Type', untyped, body, needsType ? refused : [204]],
    ['beyond ASCII', { ...unsigned, 'X-Service-Signature': 'sha256=éü' }, body, refused],
    ['beyond ASCII', { ...headers, ...timestamps('²') }, body, refused],
    ['beyond ASCII', { ...standard, 'webhook-signature': 'v1,éü' }, body, refused],
    ['beyond ASCII', { ...standard, 'webhook-id': 'é' }, body, refused],
    ['an id of another', { ...standard, 'webhook-id': randomUUID() }, body, [401]],
    ['large', { ...signBody(large, 'url.created', { secret }) }, large, [413, 'reset']],
    ['valid after all of these', { ...headers }, body, [204]],
    ['the last one', { ...last.headers }, last.body, [204]],
  ];
  for (const [name, given, bytes, expected] of cases) {
    expect(expected, `${name}: ${url}`).toContain(await post(url, given, bytes));
  }
  const eventType = /url\.created|domain\.verified/g;
  const handled = () => [...printed().slice(before).matchAll(eventType)].map(([type]) => type);
  await poll('the last one is printed', handled, (types) => types.includes('domain.verified'));
  // A delivery with each of the four lists of secrets, of which one arrived several times.
  expect(handled()).toEqual([...Array(4).fill('url.created'), 'domain.verified']);
}

describe('examples/receivers', () => {
  it('has a program for each of its files', () => {
    const files = Object.entries(programs).flatMap(([name, { files = [name] }]) => files);
    const found = readdirSync(examples, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(examples, join(entry.parentPath, entry.name)));
    expect(found.sort()).toEqual(files.filter((name) => !name.includes(',')).sort());
  });

  it.each(Object.entries(programs))(
    '%s handles each valid delivery once',
    async (name, program) => {
      const { origin, printed } = await start(name, program);
      for (const path of program.paths ?? ['/hook']) await check(origin + path, program, printed);
    },
  );
});

describe('every entry of the packed package', () => {
  const entries = ['', '/web', '/express', '/fastify', '/hono', '/dedupe'];
  it.each(entries)('can be imported and required: "%s"', async (entry) => {
    const name = `@shorty/webhook-verifier${entry}`;
    const program = `
      import { createRequire } from 'node:module';
      const required = Object.keys(createRequire(import.meta.url)('${name}')).sort().join();
      const imported = Object.keys(await import('${name}')).sort().join();
      if (!required || required !== imported) throw new Error(required + ' is not ' + imported);`;
    write({ 'entry.mjs': program });
    await run(node, 'entry.mjs');
  });
});

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

describe('the packed SDK runs', () => {
  it.each([
    ['Node, as ES modules', node, 'esm.mjs'],
    ['Node, as CommonJS', node, 'cjs.cjs'],
    ['Bun', bin('bun'), 'run', 'esm.mjs'],
    ['Deno', bin('deno'), 'run', '--allow-all', '--node-modules-dir=manual', 'esm.mjs'],
  ])('on %s', async (_name, command, ...args) => {
    write({
      'esm.mjs': `import * as sdk from '@shorty/sdk';${scenario}
        console.log(await scenario(sdk));`,
      'cjs.cjs': `const sdk = require('@shorty/sdk');${scenario}
        scenario(sdk).then(console.log);`,
    });
    expect(await run(command, ...args)).toContain('sdk works');
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
    expect(await run(node, 'mocked.cjs')).toBe('Sale SLUG_CONFLICT true\n');
    await run(bin('vitest'), 'run', 'mocked-vitest.test.mjs');
    const jest = join(folder, 'node_modules/jest/bin/jest.js');
    const flags = ['--experimental-vm-modules', jest, '--testMatch', '**/mocked-jest.test.mjs'];
    await run(node, ...flags);
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
  expect(JSON.parse(await run(node, 'miniflare.mjs'))).toEqual(['enterprise']);
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
    const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const exact = '--exactOptionalPropertyTypes';
    await run(node, compiler, ...flags, ...lib, ...bundler, exact, 'types.mts');
    const files = ['types.mts', 'types.cts', 'testing.mts'];
    // The types of MSW itself need a newer TypeScript, or skipLibCheck.
    const output = await run(node, compiler, ...options, ...files).catch(String);
    // The first one follows the message of `run` on the same line.
    const errors = output.match(/\S+(?=\(\d+,\d+\): error TS)/g) ?? [];
    expect(errors.filter((file) => !file.startsWith('node_modules/msw/'))).toEqual([]);
  });
});
