import { expect } from 'vitest';
import type { ServerOptions } from '../../src/server-options.js';
import { startServer } from '../api/start-server.js';

/** Starts a server that the test attacks, and creates a link for `servesOthers`. */
export async function startAttackedServer(options: ServerOptions = {}) {
  const api = await startServer(options);
  const body = { targetUrl: 'https://example.com/' };
  const { shortCode } = await api.createLink(body);
  return {
    ...api,
    /** Expects that a visitor, an API client and a load balancer are served. */
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
