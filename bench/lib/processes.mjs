import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

// Below the ephemeral ports, so that no outgoing connection takes one.
let nextPort = 21_000 + (process.pid % 500) * 8;

const folders = [];
const children = [];

/** Kills the child when this process exits. */
export const killAtExit = (child) => children.push(child);

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a temporary folder, which is deleted when this process exits. */
export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-bench-'));
  folders.push(folder);
  return folder;
}

/** Starts a server on an unused port. Resolves when it responds to requests. */
export async function serve(command, args, environment = {}) {
  const port = nextPort++;
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  killAtExit(child);
  const origin = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await fetch(`${origin}/health/live`);
      break;
    } catch (error) {
      if (attempt > 200 || child.exitCode !== null) throw error;
      await sleep(50);
    }
  }
  return {
    origin,
    port,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

export const credentials = {
  SHORTY_CLIENT_ID: 'bench-client',
  SHORTY_CLIENT_SECRET: 'bench-secret-bench-secret-bench-secret',
};

/** Starts the server on a new SQLite file as a deployment does, and requests an access token. */
export async function serveShorty(environment = {}) {
  const databasePath = join(scratchFolder(), 'shorty.db');
  const server = await serve('packages/server/bin/shorty-server', ['start'], {
    SHORTY_DATABASE_URL: `file:${databasePath}`,
    SHORTY_SHORT_DOMAIN: 'localhost:3000',
    SHORTY_LOG_LEVEL: 'error',
    // With a limit, the benchmark would measure the rate limiter.
    SHORTY_RATE_LIMIT: '0',
    ...credentials,
    ...environment,
  });
  const response = await fetch(`${server.origin}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      clientId: credentials.SHORTY_CLIENT_ID,
      clientSecret: credentials.SHORTY_CLIENT_SECRET,
    }),
  });
  const { data } = await response.json();
  return { ...server, databasePath, token: data.accessToken };
}
