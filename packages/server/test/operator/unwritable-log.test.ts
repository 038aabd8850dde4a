import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { newSettings } from './server-process.js';

const bin = fileURLToPath(new URL('../../bin/shorty-server.js', import.meta.url));

async function readDroppedLines(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toMatch(/^shorty_uncaught_errors_total\{source="process"\} 0$/m);
  return Number(/^shorty_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
}

it.each(['a full disk', 'a pipe whose reader hangs'])(
  'a log on %s fails no request, is counted, and does not delay the stop',
  async (kind) => {
    const file = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(file));
    const child = spawn(process.execPath, [bin, 'start', '--create'], {
      env: { PATH: process.env.PATH, ...newSettings(), SHORTY_LOG_LEVEL: 'trace' },
      stdio: ['ignore', 'pipe', kind === 'a full disk' ? file : 'pipe'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let text = '';
    for await (const chunk of child.stdout ?? []) {
      text += chunk;
      if (text.includes('bulk-create')) break;
    }
    const origin = /Shorty is listening on (\S+)/.exec(text)?.[1] ?? '';
    // A hanging reader leaves a full pipe, and a full queue behind it.
    for (let round = 0; (await readDroppedLines(origin)) < 20; round += 1) {
      expect(round).toBeLessThan(100);
      const requests = Array.from({ length: 100 }, () => fetch(`${origin}/health/live`));
      for (const response of await Promise.all(requests)) expect(response.status).toBe(200);
    }
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);
