import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { runScript } from '../../packages/server/test/operator/server-process.js';
import { poll } from '../../packages/server/test/poll.js';

export { freePort } from '../../packages/server/test/free-port.js';
export { scratchFolder } from '../../packages/server/test/scratch-folder.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const credentials = {
  SHORTY_CLIENT_ID: 'e2e-client',
  SHORTY_CLIENT_SECRET: 'e2e-secret-e2e-secret-e2e-secret',
};

/** Returns the path of a program that `.ci/tools` provides. */
export function tool(name: string): string {
  const { SHORTY_TOOLS: folder } = process.env;
  if (!folder) throw new Error('SHORTY_TOOLS is not set: run npm run test:more, which sets it');
  return join(folder, name);
}

/** Returns the environment of this process without `SHORTY_…`: the settings of the run and its user. */
export function environmentWithoutSettings(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('SHORTY_'));
  return Object.fromEntries(entries);
}

/** Returns whether a process listens on a port of the loopback interface. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Starts a program of `.ci/tools`, which ends after the test. Resolves when it listens on the port. */
export async function startTool(
  name: string,
  args: readonly string[],
  port: number,
  {
    env = process.env,
    signal = 'SIGKILL',
  }: { env?: NodeJS.ProcessEnv; signal?: NodeJS.Signals } = {},
): Promise<void> {
  const child = spawn(tool(name), args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  onTestFinished(async () => {
    child.kill(signal);
    await exitOf(child);
  });
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`${name} exited with ${child.exitCode}: ${log}`);
    return accepts(port);
  };
  await poll(`${name} listens`, isReady, Boolean);
}

interface ServerSettings {
  readonly port: number;
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Mounts a disk of this size at `folder`. Linux only. */
  readonly diskBytes?: number;
}

/** Starts `shorty-server` on a SQLite file in `folder`. Resolves when the server is ready. */
export async function startServer({ port, folder, environment = {}, diskBytes }: ServerSettings) {
  const server = [process.execPath, join(root, 'packages/server/bin/shorty-server.js'), 'start'];
  const [command, ...args] =
    diskBytes === undefined ? server : onSmallDisk(folder, diskBytes, server);
  const child = spawn(command as string, args, {
    env: {
      ...environmentWithoutSettings(),
      ...credentials,
      PORT: String(port),
      SHORTY_DATABASE_URL: `file:${join(folder, 'shorty.db')}`,
      SHORTY_LOG_LEVEL: 'error',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
    process.stderr.write(text);
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const origin = `http://localhost:${port}`;
  await untilReady(origin, child);
  return {
    origin,
    /** The data folder. With `diskBytes`, the path leads through the mount namespace to the separate disk. */
    folder: join(`/proc/${child.pid}/root`, folder),
    log: () => log,
    async kill() {
      child.kill('SIGKILL');
      await exitOf(child);
    },
    async stop() {
      child.kill('SIGTERM');
      return exitOf(child);
    },
  };
}

/** Returns a command that mounts a small disk in a private namespace and runs `command` there. */
function onSmallDisk(folder: string, bytes: number, command: readonly string[]): string[] {
  const mount = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && exec "$@"`;
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mount, folder, ...command];
}

/** Resolves when the server is ready. Rejects when it exits first. */
export async function untilReady(origin: string, child: ChildProcess): Promise<void> {
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}`);
    const response = await fetch(`${origin}/health/ready`).catch(() => undefined);
    return response?.ok ?? false;
  };
  await poll(`${origin} is ready`, isReady, Boolean, { timeoutMs: 60_000 });
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Runs `shorty` in a separate process, with `folder` as its working and home directory. */
export function shorty(
  args: readonly string[],
  folder: string,
  origin: string,
  environment: NodeJS.ProcessEnv = {},
) {
  const { PATH } = process.env;
  return runScript([join(root, 'packages/cli/bin/shorty.js'), ...args], {
    cwd: folder,
    env: { PATH, HOME: folder, SHORTY_BASE_URL: origin, ...credentials, ...environment },
  });
}
