import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { maxOpenFiles } from '../../src/http/listen.js';
import { startAttackedServer } from './attacked-server.js';

const client = fileURLToPath(new URL('idle-client.mjs', import.meta.url));
const wanted = 10_000;
// Each process needs a file descriptor for each socket, and some others.
const allowed = (maxOpenFiles() ?? wanted * 2) - 1_000;
const count = Math.min(wanted, allowed);

/** Starts a process with idle sockets. Returns a function that reads how many the server has closed. */
async function idle(origin: string, sockets: number): Promise<() => Promise<number>> {
  const child = spawn(process.execPath, [client, new URL(origin).port, String(sockets)]);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  expect(await lineOf(child)).toBe(`open ${sockets}`);
  return async () => {
    child.stdin.write('?\n');
    return Number((await lineOf(child)).replace('closed ', ''));
  };
}

async function lineOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  const fault = once(child.stderr, 'data').then(([text]) => Promise.reject(new Error(`${text}`)));
  const [line] = await Promise.race([once(child.stdout, 'data'), fault]);
  return String(line).trim();
}

describe('idle sockets', () => {
  it(`${count} of them do not prevent new connections (this machine allows ${allowed}, ${wanted} are wanted)`, async () => {
    const api = await startAttackedServer();
    onTestFinished(() => api.stop());
    const closed = await idle(api.server.url, count);
    for (let round = 0; round < 20; round += 1) await api.servesOthers();
    // No connection is closed below the limit.
    expect(await closed()).toBeLessThan(100);
  }, 60_000);

  it('are closed beyond the connection limit, the oldest first, and new clients connect', async () => {
    const api = await startAttackedServer({ maxConnections: 100 });
    onTestFinished(() => api.stop());
    const closed = await idle(api.server.url, 1_000);
    await api.servesOthers();
    // The client counts them in another process.
    await expect
      .poll(closed, { message: 'closed sockets', timeout: 10_000 })
      .toBeGreaterThanOrEqual(900);
    await idle(api.server.url, 1_000);
    for (let round = 0; round < 20; round += 1) await api.servesOthers();
  });
});
