import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetch as undiciFetch } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { usage } from '../test/responses.js';
import { type Fetch, Shorty } from './index.js';

const concurrent = 60;

/** A real server, whose answers wait while `isHolding`, and the warnings of the process. */
async function listen() {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  const held = { isHolding: false, requests: 0, reached: () => {} };
  const server = createServer((_, response) => {
    held.requests += 1;
    held.reached();
    if (held.isHolding) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data: usage }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    process.off('warning', warn);
    server.closeAllConnections();
    server.close();
  });
  /** Holds all answers from now on. Resolves when that many requests have come. */
  const hold = (requests: number) => {
    Object.assign(held, { isHolding: true, requests: 0 });
    return new Promise<void>((resolve) => {
      held.reached = () => {
        if (held.requests === requests) resolve();
      };
    });
  };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { baseUrl, hold, warnings };
}

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

/** Node emits warnings after the current turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('one signal serves any number of calls, and aborts them all', async () => {
  const { baseUrl, hold, warnings } = await listen();
  const fetch: Fetch = async (url, init) =>
    url.endsWith('/auth/token')
      ? Response.json({ success: true, data: { accessToken: 'token', expiresIn: 3600 } })
      : undiciFetch(url, init);
  const shorty = new Shorty({ baseUrl, clientId: 'id', clientSecret: 'secret', fetch });
  const controller = new AbortController();
  const { signal } = controller;
  const read = () => shorty.usage.get({}, { signal });
  const readAll = () => Array.from({ length: concurrent }, read);
  await Promise.all(readAll());
  expect(listenersOf(signal)).toBe(0);
  for (let sent = 0; sent < 600; sent++) await read();
  expect(listenersOf(signal)).toBe(0);
  expect(dependentsOf(signal)).toBe(0);

  const arrived = hold(concurrent);
  const calls = Promise.allSettled(readAll());
  await arrived;
  expect(listenersOf(signal)).toBe(1);
  const reason = new Error('enough');
  controller.abort(reason);
  for (const settled of await calls) expect(settled).toEqual({ status: 'rejected', reason });
  await expect(read()).rejects.toBe(reason);
  expect(listenersOf(signal)).toBe(0);
  await nextTurn();
  expect(warnings).toEqual([]);
});

/** The signals that `AbortSignal.any` made of a signal. Node 20 never removes them. */
function dependentsOf(signal: AbortSignal): number {
  const symbols = Object.getOwnPropertySymbols(signal);
  const name = symbols.find(({ description }) => description === 'kDependantSignals');
  const dependents = name && (signal as unknown as Record<symbol, Set<unknown>>)[name];
  return dependents?.size ?? 0;
}
