import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type SignOptions, signBody, signWebhook } from '@shorty/webhook-verifier';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { freePort, root, tool } from '../lib/processes.js';

// Runs each receiver of examples/receivers with the packed verifier and its real framework or language,
// and sends deliveries to it.
const folder = mkdtempSync(join(tmpdir(), 'shorty-receivers-'));
const hosts = join(import.meta.dirname, 'receivers');
const examples = join(root, 'examples/receivers');
const secret = 'shorty_ws_ключ';
const bin = (name: string) => join(folder, 'node_modules/.bin', name);

async function run(cwd: string, command: string, ...args: string[]) {
  const env = { ...process.env, NODE_OPTIONS: '', VITEST: '', NEXT_TELEMETRY_DISABLED: '1' };
  const child = promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
  await child.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${command} ${args.join(' ')} failed: ${error.stdout}${error.stderr}`);
  });
}

beforeAll(async () => {
  const { pack } = await import(join(root, 'scripts/pack.mjs'));
  const { 'webhook-verifier': verifier } = pack(join(folder, 'release'));
  copyFileSync(join(hosts, 'package.json'), join(folder, 'package.json'));
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(folder, 'npm', 'install', ...flags, verifier);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

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
    // A production build takes longer than all others. That of sdk-consumers.test.ts has the SDK.
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
  const write = (file: string, code: string) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), code.replaceAll('3000', port));
  };
  write('package.json', '{}');
  const { change = (code: string) => code } = program;
  for (const file of program.files ?? [name.split(',')[0] ?? '']) {
    write(file, change(readFileSync(join(examples, file), 'utf8')));
  }
  if (program.host) write(program.host, readFileSync(join(hosts, program.host), 'utf8'));
  const [build, ...flags] = program.build ?? [];
  if (build) await run(cwd, build, ...flags);
  const [command = '', ...args] = program.command.map((each) => each.replaceAll('3000', port));
  const child = spawn(command, args, {
    cwd,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      SHORTY_WEBHOOK_SECRET: secret,
      GO111MODULE: 'off',
      TMPDIR: cwd,
    },
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
    const file = join(folder, 'entry.mjs');
    writeFileSync(file, program);
    await run(folder, node, file);
  });
});
