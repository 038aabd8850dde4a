import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { newSettings } from './server-process.js';

beforeAll(build, 120_000);

const bin = fileURLToPath(new URL('../../bin/shorty-server.js', import.meta.url));

/** Starts a server with this stderr. Its stdout is read until it listens, and then closed. */
async function startWith(stderr: number | 'pipe') {
  const child = spawn(process.execPath, [bin, 'start'], {
    env: { PATH: process.env.PATH, ...newSettings(), SHORTY_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', stderr],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stderr?.destroy();
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('bulk-create')) break;
  }
  const origin = /Shorty is listening on (\S+)/.exec(text)?.[1] ?? '';
  return { child, origin };
}

it.each(['a full disk', 'a closed pipe'])(
  'a log on %s fails no request, is counted, and does not delay the stop',
  async (kind) => {
    const file = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(file));
    const { child, origin } = await startWith(kind === 'a full disk' ? file : 'pipe');
    for (let at = 0; at < 20; at += 1) {
      expect((await fetch(`${origin}/health/live`)).status).toBe(200);
    }
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    const dropped = /^shorty_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1];
    expect(Number(dropped)).toBeGreaterThanOrEqual(20);
    expect(metrics).toMatch(/^shorty_uncaught_errors_total\{source="process"\} 0$/m);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);
