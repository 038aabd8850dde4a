import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { badge } from '../qr/logos.js';
import { call, newSettings, serveWithToken } from './server-process.js';

beforeAll(build, 120_000);

async function serveLogo(): Promise<string> {
  const server = createServer((_, response) => response.end(badge));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/logo.svg`;
}

/** Finds the processes that decode a logo for the server with this process id. */
function logoProcessesOf(serverId: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((id) => {
      const stat = read(id, 'stat');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (
        Number(parent) === serverId &&
        state !== 'Z' &&
        read(id, 'cmdline').includes('logo-process.js')
      );
    });
}

/** Returns an empty list for a process that has ended meanwhile. */
function read(processId: number, file: string): string {
  try {
    return readFileSync(`/proc/${processId}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return '';
    throw error;
  }
}

/** Stops the next process that decodes a logo by SIGSTOP. */
async function hangNextLogo(serverId: number | undefined): Promise<number> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const [processId] = logoProcessesOf(serverId);
    if (processId !== undefined) {
      process.kill(processId, 'SIGSTOP');
      return processId;
    }
    if (performance.now() > deadline) throw new Error('no process has decoded a logo in 20 s');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('SIGTERM ends the server and the process of a hanging logo within 10 s', async () => {
  const server = await serveWithToken({ ...newSettings(), SHORTY_ALLOW_PRIVATE_NETWORK: '1' });
  const design = { data: 'x', errorCorrectionLevel: 'H', logoUrl: await serveLogo() };
  const hanging = call(server.origin, server.token, '/qr', design).catch(() => undefined);
  const processId = await hangNextLogo(server.child.pid);
  const startedAt = performance.now();
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(() => process.kill(processId, 0)).toThrow('ESRCH');
  await hanging;
}, 60_000);
