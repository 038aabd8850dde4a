import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { forTenants, newTenant } from '../../../../bench/lib/links.mjs';
import { credentials, killAtExit, root, scratchFolder } from '../../../../bench/lib/processes.mjs';

/**
 * Starts the built server as an operator would, on a new SQLite file and at the default log level,
 * with a probe inside that measures the event loop.
 */
export async function startServer({ port }) {
  const folder = scratchFolder();
  const logPath = join(folder, 'server.log');
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    NODE_ENV: 'production',
    PORT: String(port),
    SHORTY_DATABASE_URL: `file:${join(folder, 'shorty.db')}`,
    SHORTY_SHORT_DOMAIN: 'short.example',
    ...credentials,
    ...forTenants,
    SHORTY_ALLOW_PRIVATE_NETWORK: '1',
    // The harness sends more requests than an organization's limit, from one address.
    SHORTY_RATE_LIMIT: '0',
  };
  const log = openSync(logPath, 'w');
  const probe = fileURLToPath(new URL('probe.mjs', import.meta.url));
  const child = spawn(join(root, 'packages/server/bin/shorty-server'), ['start'], {
    env: { ...environment, NODE_OPTIONS: `--import=${probe}` },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  killAtExit(child);
  let exits = 0;
  child.on('exit', () => {
    exits += 1;
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitFor('the server to listen', 30_000, async () => {
    if (exits > 0) throw new Error(`the server exited:\n${readFileSync(logPath, 'utf8')}`);
    return (await fetch(`${origin}/health/ready`).catch(() => undefined))?.ok;
  });

  async function callProbe(command) {
    if (exits > 0) return undefined;
    child.send(command);
    const [reply] = await Promise.race([once(child, 'message'), sleep(30_000, [undefined])]);
    return reply;
  }

  return {
    origin,
    exits: () => exits,
    measure: () => callProbe('measure'),
    memory: () => callProbe('memory'),
    /** Returns log lines at level error or above, and lines that are not JSON logs. */
    errorLines: () =>
      readFileSync(logPath, 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !/^\{"level":[1-4]0,/.test(line)),
    newTenant: () => newTenant({ origin }),
    /** Sends SIGTERM, and SIGKILL after 20 s. Returns the milliseconds until the process exits. */
    async stop() {
      if (exits > 0) return 0;
      const startedAt = performance.now();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(timer);
      return performance.now() - startedAt;
    },
  };
}

/** Polls until the condition holds. Throws an error that names `what` after `withinMs`. */
async function waitFor(what, withinMs, condition) {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`);
    await sleep(50);
  }
}
