import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { build, root } from '../../../../scripts/bootstrap.mjs';
import { openStorage } from '../../src/storage/open-storage.js';
import { scratchFolder } from '../scratch-folder.js';

const bin = join(root, 'packages/server/bin/shorty-server.js');

// The processes run what is built, which may be stale when vitest is called alone.
build();

export type Settings = Record<string, string>;

/** Returns the settings of an empty database, which is removed after the test. */
export function newSettings(): Settings {
  return { SHORTY_DATABASE_URL: `file:${join(scratchFolder(), 'data', 'shorty.db')}`, PORT: '0' };
}

/** Returns the settings of a database with tables, but without organizations. */
export async function newDatabase(): Promise<Settings> {
  const settings = newSettings();
  const { SHORTY_DATABASE_URL: databaseUrl = '' } = settings;
  mkdirSync(dirname(pathOf(settings)));
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  await database.close();
  return settings;
}

/** Returns the path of the database. */
export const pathOf = (settings: Settings) =>
  String(settings.SHORTY_DATABASE_URL).slice('file:'.length);

export type Running = ReturnType<typeof runScript>;

/** Starts the binary with these settings only, in the folder `cwd`. */
export const run = (settings: Settings, args: readonly string[] = [], cwd = process.cwd()) =>
  runScript([bin, ...args], { cwd, env: { PATH: process.env.PATH, ...settings } });

/** Starts a script of Node, which ends with the test at the latest. */
export function runScript(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      child.emit('output');
    });
  }
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...written }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const output = () => written.stdout + written.stderr;
  return {
    child,
    ended,
    /** Returns its output on stdout and stderr so far. */
    output,
    /** Resolves when the output matches. Throws when the process ends without a match. */
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output());
        if (found) return found;
        const hasEnded = await Promise.race([
          once(child, 'output').then(() => false),
          ended.then(() => true),
        ]);
        if (hasEnded && !pattern.test(output())) {
          throw new Error(`it ended with ${child.exitCode}: ${output()}`);
        }
      }
    },
  };
}

/** Runs an operator command to its end. */
export function command(settings: Settings, ...args: string[]): Running['ended'] {
  return run(settings, args).ended;
}

/** Runs an operator command that must succeed without a warning. Returns what it prints. */
export async function succeed(settings: Settings, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await command(settings, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Runs an operator command that must fail and print nothing on stdout. Returns its message. */
export async function refusalOf(settings: Settings, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await command(settings, ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

/** Fails, with what it prints, when `doctor` finds an error in a database. */
export async function expectNoErrorsOfDoctor(settings: Settings): Promise<void> {
  expect(await succeed(settings, 'doctor', '--check')).toContain('Visits and counters agree.');
}

/** Starts a server and waits until it listens. */
export async function serve(settings: Settings) {
  const running = run(settings, ['start', '--create']);
  const [, origin = ''] = await running.until(/Shorty is listening on (\S+)/);
  return { ...running, origin };
}

/** Stops a server and waits for its end. */
export function stop(server: Running): Running['ended'] {
  server.child.kill('SIGTERM');
  return server.ended;
}

/** The first client of the servers of `serveWithToken`. */
export const credentials = {
  clientId: 'operator-test',
  clientSecret: 'operator-test-secret-of-32-chars',
};

/** Starts a server whose first client has the `credentials`, and requests a token. */
export async function serveWithToken(settings: Settings = newSettings()) {
  const server = await serve({
    ...settings,
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  });
  return { ...server, token: await tokenOf(server.origin, credentials) };
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Requests a token and returns it, or the status of a refusal. */
export async function tokenOf(
  origin: string,
  { clientId, clientSecret }: Credentials,
): Promise<string | number> {
  const response = await fetch(`${origin}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret }),
  });
  if (!response.ok) return response.status;
  const { data } = (await response.json()) as { data: { accessToken: string } };
  return data.accessToken;
}

/** Calls the API and returns the status and the envelope's `data`. */
export async function call(
  origin: string,
  token: string | number,
  path: string,
  body?: unknown,
): Promise<{ status: number; data: Record<string, unknown> }> {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { data = {} } = (await response.json()) as { data?: Record<string, unknown> };
  return { status: response.status, data };
}
