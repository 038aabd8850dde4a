import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../test/scratch-folder.js';
import { listen, listenForOperators } from './listen.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server whose responses the test sends. */
async function heldServer() {
  const held: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    held.push(response);
    server.emit('held');
  });
  const listener = await listen(server, { port: 0, host: '127.0.0.1' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  ends.push(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const get = () => {
    const sent = request(listener.origin, { agent }).end();
    return new Promise<string | undefined>((resolve) => {
      sent.on('response', (response) => {
        response.resume().on('end', () => resolve(response.headers.connection));
      });
    });
  };
  return { server, listener, held, get };
}

it.each([
  ['127.0.0.1', /^http:\/\/localhost:\d+$/],
  ['0.0.0.0', /^http:\/\/localhost:\d+$/],
  ['127.0.0.2', /^http:\/\/127\.0\.0\.2:\d+$/],
])('listen on %s returns the origin for clients', async (host, origin) => {
  const server = createServer();
  ends.push(() => server.close());
  expect((await listen(server, { port: 0, host })).origin).toMatch(origin);
});

describe('listen on a unix socket', () => {
  it('sets its permissions, replaces that of an ended process, and refuses a used one', async () => {
    const folder = scratchFolder();
    const path = join(folder, 'admin.sock');
    const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', program]);
    expect(lstatSync(path, { bigint: true }).isSocket()).toBe(true);
    const open = () => listenForOperators(createServer(), { path });
    const listener = await open();
    expect(listener.origin).toBe(path);
    expect(Number(lstatSync(path, { bigint: true }).mode) & 0o777).toBe(0o660);
    await expect(open()).rejects.toThrow(`SHORTY_ADMIN_LISTEN is "${path}": the address is in use`);
    await listener.stop(0);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, 'a file');
    await expect(open()).rejects.toThrow('set the path of no other file');
    expect(readFileSync(path, 'utf8')).toBe('a file');
  });
});

it('a stop closes a busy connection with its next response', async () => {
  const { server, listener, held, get } = await heldServer();
  const first = get();
  await once(server, 'held');
  const stopped = listener.stop(60_000);
  const second = get();
  held[0]?.end();
  await first;
  await once(server, 'held');
  held[1]?.end();
  expect(await second).toBe('close');
  await stopped;
});
