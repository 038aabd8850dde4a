import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetch as undiciFetch } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { usage } from '../test/responses.js';
import { type Fetch, Shorty } from './index.js';

const concurrent = 60;

/** A real server, and the warnings of the process. */
async function listen() {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  const server = createServer((_, response) => {
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
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, warnings };
}

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

/** Node emits warnings after the current turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('one signal serves any number of calls, and aborts them all', async () => {
  const { baseUrl, warnings } = await listen();
  const held = { isHolding: false, requests: 0 };
  const fetch: Fetch = async (url, init) => {
    if (url.endsWith('/auth/token')) {
      return Response.json({ success: true, data: { accessToken: 'token', expiresIn: 3600 } });
    }
    if (!held.isHolding) return undiciFetch(url, init);
    held.requests++;
    return new Promise(() => {});
  };
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

  held.isHolding = true;
  const calls = Promise.allSettled(readAll());
  await expect.poll(() => held.requests).toBe(concurrent);
  expect(listenersOf(signal)).toBe(1);
  const reason = new Error('enough');
  controller.abort(reason);
  for (const settled of await calls) expect(settled).toEqual({ status: 'rejected', reason });
  // Sends nothing.
  await expect(read()).rejects.toBe(reason);
  expect(held.requests).toBe(concurrent);
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
