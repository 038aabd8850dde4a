import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { FairQueue } from '../fair-queue.js';
import { toApiError } from '../http/error-response.js';
import { defaultTimeLimits } from '../http/time-limits.js';
import { parseAddressRanges } from '../network/ip-address.js';
import { type Handlers, mountRoutes } from './mount-routes.js';

let url: string;
let keep: () => void;
const isCalled: string[] = [];
beforeEach(async () => {
  const app = express();
  const handlers: Pick<Handlers, 'getLiveness' | 'listUrls' | 'getUsage'> = {
    getLiveness: async () => ({ status: 200, body: {} }),
    listUrls: async () => ({ status: 200, body: {} }),
    getUsage: async () => {
      throw new ApiError('UNAVAILABLE', 'not now');
    },
  };
  const caller = {
    client: { id: 'client' },
    apiKey: null,
    restriction: undefined,
    user: null,
    organizationId: 'acme',
    scopes: new Set(['urls:read']),
  };
  isCalled.length = 0;
  mountRoutes(app, {
    handlers: handlers as Handlers,
    auth: { authenticate: async () => caller, authenticateOperator: async () => {} },
    clock: () => 0,
    newId: () => 'id',
    proxies: parseAddressRanges(''),
    rateLimiter: undefined,
    publicRateLimiter: undefined,
    largeBodies: new FairQueue({
      name: 'bodies',
      concurrency: 1,
      maxWaiting: 1,
      maxWaitingPerOrganization: 1,
    }),
    timeLimits: defaultTimeLimits,
    publicUrl: () => '',
    countCall: (organizationId) => {
      isCalled.push(organizationId);
      return new Promise((resolve) => {
        keep = resolve;
      });
    },
  });
  const refuse: express.ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(toApiError(error).status).end();
  };
  app.use(refuse);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

it.each([
  ['a success', '/api/v1/urls', 200],
  ['a failure', '/api/v1/usage', 503],
  ['a missing scope', '/api/v1/qr', 403],
])('%s is not answered before its count is durable', async (_, path, status) => {
  let isAnswered = false;
  const answer = fetch(url + path).then((response) => {
    isAnswered = true;
    return response;
  });
  // Requests that are not counted are answered meanwhile.
  for (let other = 0; other < 5; other += 1) {
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  }
  expect(isCalled).toEqual(['acme']);
  expect(isAnswered).toBe(false);
  keep();
  expect((await answer).status).toBe(status);
});
