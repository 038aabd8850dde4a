import { expect, it, vi } from 'vitest';
import { openApiText } from '../../api/docs/docs-handlers.js';
import { start } from './start.js';

const calls = vi.hoisted((): string[] => []);
vi.mock('../../api/openapi.js', () => ({
  renderOpenApi: () => {
    calls.push('render');
    return 'openapi: 3.1.0';
  },
}));
vi.mock('../../create-server.js', () => ({
  createServer: () => ({
    start: async () => {
      calls.push('start');
      throw new Error('the port is in use');
    },
    stop: async () => calls.push('stop'),
  }),
}));

it('start renders openapi.yaml once, before the server listens', async () => {
  await expect(start()).rejects.toThrow('the port is in use');
  openApiText();
  expect(calls).toEqual(['render', 'start', 'stop']);
});
