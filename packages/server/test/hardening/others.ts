import { expect } from 'vitest';
import type { ServerOptions } from '../../src/create-server.js';
import { startServer, type TestServer } from '../api/start-server.js';

export interface Busy extends TestServer {
  /** Fails unless everybody else is served: a visitor, a caller of the API, a load balancer. */
  servesOthers(): Promise<void>;
}

/** A server that somebody is about to abuse. */
export async function startBusy(options: ServerOptions = {}): Promise<Busy> {
  const api = await startServer(options);
  const body = { targetUrl: 'https://example.com/' };
  const { shortCode } = (await api.call('createUrl', { body })).data;
  return {
    ...api,
    async servesOthers() {
      const answers = await Promise.all([
        api.visit(`/${shortCode}`),
        api.call('createUrl', { body }),
        api.visit('/health/live'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([307, 201, 200]);
    },
  };
}
