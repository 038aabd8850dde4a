import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { Database } from '../storage/database.js';
import { healthHandlers } from './health-handlers.js';

function handlersOf(collect: () => void) {
  const metrics = new Registry();
  new Gauge({ name: 'scrapes', help: 'Scrapes.', registers: [metrics], collect });
  return healthHandlers({
    database: {} as Database,
    isStopping: () => false,
    diskError: async () => undefined,
    visitError: () => undefined,
    damagedLines: () => 0,
    dispatcherIdleMs: () => 0,
    metrics: [metrics],
  });
}

describe('getMetrics', () => {
  it('scrapes once for concurrent requests, and again for a later one', async () => {
    let scrapes = 0;
    const { getMetrics } = handlersOf(() => {
      scrapes += 1;
    });
    const request = {} as Parameters<typeof getMetrics>[0];
    await Promise.all(Array.from({ length: 100 }, () => getMetrics(request)));
    expect(scrapes).toBe(1);
    await getMetrics(request);
    expect(scrapes).toBe(2);
  });

  it('scrapes again after a scrape that failed', async () => {
    let scrapes = 0;
    const { getMetrics } = handlersOf(() => {
      scrapes += 1;
      if (scrapes === 1) throw new Error('a metric failed');
    });
    const request = {} as Parameters<typeof getMetrics>[0];
    await expect(getMetrics(request)).rejects.toThrow('a metric failed');
    expect(await getMetrics(request)).toMatchObject({ status: 200 });
  });
});
