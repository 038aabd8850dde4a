import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { createDeduper } from '../src/dedupe.js';

const deduper = createDeduper({
  leaseMs: 30_500,
  store: { claim: () => 'running', finish() {}, release() {} },
});
const handle = () => deduper.once('a delivery', () => undefined);

/** Sends a request to a server, and returns the parts of its response that a sender reads. */
async function responseOf(listener: RequestListener): Promise<[number, string | null]> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' });
  return [status, headers.get('retry-after')];
}

it('Express asks the sender to retry when a handler throws a DeliveryInProgressError', async () => {
  const app = express();
  // As in tests of an application: Express logs no error.
  app.set('env', 'test');
  app.post('/', async (_, response) => {
    await handle();
    response.sendStatus(204);
  });
  expect(await responseOf(app)).toEqual([503, '31']);
});

it('Fastify asks the sender to retry when a handler throws a DeliveryInProgressError', async () => {
  const app = fastify();
  app.post('/', handle);
  await app.ready();
  expect(await responseOf(app.routing)).toEqual([503, '31']);
});
