import { describe, expect, it } from 'vitest';
import type { FailureCause } from '../../src/webhooks/attempt.js';
import { readStats } from '../../src/webhooks/stats.js';
import { type Caller, startForTest } from '../api/start-server.js';
import { rawServer } from '../network/local-server.js';
import { openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const hour = 60 * 60 * 1000;
const anyTime = {
  since: 0,
  until: Date.UTC(2100, 0, 1),
  seriesFrom: Date.UTC(2099, 0, 1),
  groupBy: 'day',
} as const;

it('stats have the attempts of a window by outcome and time', async () => {
  const api = await startForTest({ allowPrivateNetwork: true, webhookRetrySchedule: [30_000] });
  const statuses = [204, 500, 404, 503, 500];
  const hook = await receiver((response, count) => {
    response.writeHead(statuses[count - 1] ?? 204).end();
  });
  const body = { url: hook.url, events: ['url.created'] };
  const { id } = (await api.call('createWebhook', { body })).data;
  const params = { id };
  let caller: Caller = api;
  const stats = async (query: Record<string, string> = {}) =>
    (await caller.call('getWebhookStats', { params, query })).data;
  const attemptsBecome = (count: number) =>
    expect.poll(async () => (await stats()).totals.attempts, { timeout: 20_000 }).toBe(count);
  const start = new Date(api.clock()).toISOString();
  expect(await stats()).toMatchObject({
    webhookId: id,
    until: new Date(api.clock() + 1).toISOString(),
    totals: { attempts: 0, failedAttempts: 0, successRate: null, delivered: 0, failed: 0 },
    failures: [],
    lastSuccessAt: null,
  });
  for (let sent = 1; sent <= 3; sent += 1) {
    await api.call('testWebhook', { params });
    await attemptsBecome(sent);
  }
  // The second attempts of the two deliveries that failed.
  api.clock.advance(hour);
  // The token has expired.
  caller = await api.signIn(api.credentials);
  await hook.arrived(5);
  await attemptsBecome(5);
  const later = new Date(api.clock()).toISOString();
  await caller.call('testWebhook', { params });
  await attemptsBecome(6);
  // The attempts of the deliveries that were created in the window.
  const found = await stats({ groupBy: 'hour', since: start, until: later });
  expect(found).toMatchObject({
    since: start,
    until: later,
    totals: { attempts: 5, failedAttempts: 4, successRate: 0.2, delivered: 1, failed: 2 },
    failures: [
      { cause: 'status_5xx', attempts: 3 },
      { cause: 'status_4xx', attempts: 1 },
    ],
    timeseries: [{ bucket: start, attempts: 5, failedAttempts: 4 }],
  });
  expect(await stats({ since: later })).toMatchObject({
    totals: { attempts: 1, failedAttempts: 0, successRate: 1, delivered: 1, failed: 0 },
    failures: [],
  });
  const until = new Date(api.clock() + hour).toISOString();
  expect((await stats()).timeseries).toHaveLength(31);
  const wrong = await caller.call('getWebhookStats', { params, query: { since: until } });
  expect(wrong.invalidFields).toEqual(['since']);
  const extra = await caller.call('getWebhookStats', { params, query: { limit: '5' } });
  expect(extra.status).toBe(400);
});

describe('the cause of a failed attempt', () => {
  const closing = async (text: string) => (await rawServer((socket) => socket.end(text))).url;
  // guarded-fetch.test.ts has the other reasons for no response.
  const cases: readonly [FailureCause, () => Promise<string>][] = [
    ['status_3xx', () => closing('HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n')],
    ['status_4xx', () => closing('HTTP/1.1 404 Not Found\r\n\r\n')],
    ['status_5xx', () => closing('HTTP/1.1 503 No\r\n\r\n')],
    ['status_other', () => closing('HTTP/1.1 600 What\r\n\r\n')],
    ['refused', async () => 'http://127.0.0.1:2/'],
  ];

  it.each(cases)('%s', async (cause, open) => {
    const opened = await openDispatcher();
    const id = await opened.subscribe(await open());
    await opened.record(id);
    await opened.dispatcher().drain();
    const { failures } = await readStats(opened.stored.database, id, anyTime);
    expect(failures).toEqual([{ cause, attempts: 1 }]);
  });
});
