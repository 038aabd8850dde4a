import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { newSettings } from './server-process.js';

beforeAll(build, 120_000);

const bin = fileURLToPath(new URL('../../bin/shorty-server.js', import.meta.url));

async function readDroppedLines(origin: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toMatch(/^shorty_uncaught_errors_total\{source="process"\} 0$/m);
  return Number(/^shorty_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
}

/** Starts a server with this stderr. Its stdout is read until it listens, and then closed. */
async function startWith(stderr: number | 'pipe') {
  const child = spawn(process.execPath, [bin, 'start'], {
    env: { PATH: process.env.PATH, ...newSettings(), SHORTY_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', stderr],
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
  return { child, origin };
}

it.each(['a full disk', 'a closed pipe'])(
  'a log on %s fails no request, is counted, and does not delay the stop',
  async (kind) => {
    const file = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(file));
    const { child, origin } = await startWith(kind === 'a full disk' ? file : 'pipe');
    child.stderr?.destroy();
    for (let at = 0; at < 20; at += 1) {
      expect((await fetch(`${origin}/health/live`)).status).toBe(200);
    }
    expect(await readDroppedLines(origin)).toBeGreaterThanOrEqual(20);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);

/** Fills a pipe that nobody reads, and the queue behind it. */
async function requestUntilDropped(origin: string): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const requests = Array.from({ length: 100 }, () => fetch(`${origin}/health/live`));
    for (const response of await Promise.all(requests)) expect(response.status).toBe(200);
    if ((await readDroppedLines(origin)) > 0) return;
  }
  throw new Error('no line was dropped');
}

it('a log whose reader hangs fails no request, is counted, and does not delay the stop', async () => {
  const { child, origin } = await startWith('pipe');
  await requestUntilDropped(origin);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a log whose reader continues has all lines but the dropped ones, and their number', async () => {
  const { child, origin } = await startWith('pipe');
  await requestUntilDropped(origin);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const sumOfReports = () => {
    const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
    return lines.reduce((sum, line) => sum + (JSON.parse(line || '{}').count ?? 0), 0);
  };
  // The next line that is written reports the dropped ones before it.
  await vi.waitFor(
    async () => {
      await fetch(`${origin}/health/live`);
      expect(sumOfReports()).toBe(await readDroppedLines(origin));
    },
    { timeout: 10_000 },
  );
});
