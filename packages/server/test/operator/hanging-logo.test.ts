import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { badge } from '../qr/logos.js';
import { call, newSettings, serve, tokenOf } from './server-process.js';

beforeAll(build, 120_000);

const credentials = { clientId: 'operator-test', clientSecret: 'operator-test-client-secret-0001' };

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

async function startServer() {
  const server = await serve({
    ...newSettings(),
    SHORTY_ALLOW_PRIVATE_NETWORK: '1',
    SHORTY_CLIENT_ID: credentials.clientId,
    SHORTY_CLIENT_SECRET: credentials.clientSecret,
  });
  const token = await tokenOf(server.origin, credentials);
  const logoUrl = await serveLogo();
  const create = () =>
    call(server.origin, token, '/qr', { data: 'x', errorCorrectionLevel: 'H', logoUrl });
  return { server, token, create };
}

it('SIGTERM ends the server and the process of a hanging logo within 10 s', async () => {
  const { server, create } = await startServer();
  const hanging = create().catch(() => undefined);
  const processId = await hangNextLogo(server.child.pid);
  const startedAt = performance.now();
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(() => process.kill(processId, 0)).toThrow('ESRCH');
  await hanging;
}, 60_000);
