import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FailureCause } from '../../src/webhooks/attempt.js';
import {
  countAttempts,
  readAttemptCounts,
  roundDuration,
} from '../../src/webhooks/attempt-counts.js';
import { deliveryRetentionMs, pruneDeliveries } from '../../src/webhooks/delivery-pruner.js';
import { type Caller, startServer } from '../api/start-server.js';
import { rawServer } from '../network/local-server.js';
import { selfSigned } from '../network/self-signed.js';
import { type DispatcherOptions, openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const hour = 60 * 60 * 1000;
const allTime = { since: 0, until: Date.UTC(2100, 0, 1) };

describe('GET /api/v1/webhooks/{id}/stats', () => {
  it('has the attempts of the window by outcome and time, and what is pending', async () => {
    const api = await startServer({ allowPrivateNetwork: true, webhookRetrySchedule: [30_000] });
    onTestFinished(() => api.stop());
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
      until: new Date(api.clock() + hour).toISOString(),
      totals: { attempts: 0, failedAttempts: 0, successRate: null, delivered: 0, failed: 0 },
      responseTimeMs: { p50: null, p95: null },
      failures: [],
      lastSuccessAt: null,
      lastFailureAt: null,
      pending: { count: 0, oldestCreatedAt: null },
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
    expect((await stats()).pending.count).toBe(0);
    const later = new Date(api.clock()).toISOString();
    const found = await stats({ groupBy: 'hour', since: start, until: later });
    expect(found).toMatchObject({
      since: start,
      until: later,
      totals: { attempts: 3, failedAttempts: 2, successRate: 0.3333, delivered: 1, failed: 0 },
      lastFailureAt: later,
      timeseries: [{ bucket: start, attempts: 3, failedAttempts: 2 }],
    });
    const rest = { since: later, until: new Date(api.clock() + hour).toISOString() };
    expect(await stats(rest)).toMatchObject({
      totals: { attempts: 2, failedAttempts: 2, successRate: 0, delivered: 0, failed: 2 },
      failures: [{ cause: 'status_5xx', attempts: 2 }],
    });
    const until = rest.until;
    expect((await stats({ until })).failures).toEqual([
      { cause: 'status_5xx', attempts: 3 },
      { cause: 'status_4xx', attempts: 1 },
    ]);
    expect((await stats()).timeseries).toHaveLength(31);
    expect((await stats()).responseTimeMs.p95).toBeGreaterThanOrEqual(0);
    const wrong = await caller.call('getWebhookStats', { params, query: { since: until } });
    expect(wrong.invalidFields).toEqual(['since']);
    const extra = await caller.call('getWebhookStats', { params, query: { limit: '5' } });
    expect(extra.status).toBe(400);
  });
});

describe('the cause of a failed attempt', () => {
  const closing = async (text: string) => (await rawServer((socket) => socket.end(text))).url;
  const cases: readonly [FailureCause, () => Promise<string>, DispatcherOptions?][] = [
    ['status_3xx', () => closing('HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n')],
    ['status_4xx', () => closing('HTTP/1.1 404 Not Found\r\n\r\n')],
    ['status_5xx', () => closing('HTTP/1.1 503 No\r\n\r\n')],
    ['status_other', () => closing('HTTP/1.1 600 What\r\n\r\n')],
    ['reset', () => closing('')],
    ['protocol', () => closing('who is there?\r\n\r\n')],
    ['refused', async () => 'http://127.0.0.1:2/'],
    ['forbidden_address', async () => 'http://127.0.0.1:2/', { allowPrivateNetwork: false }],
    [
      'dns',
      async () => 'http://missing.example/',
      { resolve: () => Promise.reject(new Error('no such name')) },
    ],
    ['timeout', async () => (await rawServer(() => {})).url, { attemptTimeoutMs: 50 }],
    [
      'tls',
      async () => {
        const server = createTlsServer(selfSigned).listen(0, '127.0.0.1');
        await once(server, 'listening');
        onTestFinished(() => void server.close());
        return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      },
    ],
  ];

  it.each(cases)('%s', async (cause, open, options = {}) => {
    const opened = await openDispatcher();
    const id = await opened.subscribe(await open());
    await opened.record(id);
    await opened.dispatcher(options).drain();
    const { byOutcome, lastFailureAt } = await readAttemptCounts(
      opened.stored.database,
      id,
      allTime,
    );
    expect(byOutcome.map(({ outcome }) => outcome)).toEqual([cause]);
    expect(lastFailureAt).toBe(opened.clock());
  });
});

describe('hourly sums', () => {
  it('have each attempt once, also when several dispatchers record at the same time', async () => {
    const opened = await openDispatcher();
    const hook = await receiver((response, count) => {
      response.writeHead(count % 3 === 0 ? 500 : 204).end();
    });
    const ids = [await opened.subscribe(hook.url), await opened.subscribe(hook.url)];
    for (const id of ids) await opened.record(id, 200);
    const dispatchers = [opened.dispatcher(), opened.dispatcher(), opened.dispatcher()];
    await Promise.all(dispatchers.map((each) => each.drain()));
    const counts = await Promise.all(
      ids.map((id) => readAttemptCounts(opened.stored.database, id, allTime)),
    );
    const sumOf = (outcome: string) =>
      counts
        .flatMap(({ byOutcome }) => byOutcome.filter((each) => each.outcome === outcome))
        .reduce((sum, { attempts }) => sum + attempts, 0);
    const failed = Math.floor(hook.received.length / 3);
    expect(hook.received).toHaveLength(400);
    expect([sumOf('success'), sumOf('status_5xx')]).toEqual([400 - failed, failed]);
    const pending = counts.reduce((sum, each) => sum + each.pending.count, 0);
    expect(pending).toBe(failed);
  });

  it('are removed after 30 days, and with their webhook', async () => {
    const opened = await openDispatcher();
    const { database } = opened.stored;
    const hook = await receiver();
    const id = await opened.subscribe(hook.url);
    const prune = () => pruneDeliveries(database, opened.clock());
    const count = async () =>
      (await database.read.selectFrom('attempt_counts').select('hour').execute()).length;
    await opened.record(id);
    await opened.dispatcher().drain();
    opened.clock.advance(deliveryRetentionMs);
    await opened.record(id);
    await opened.dispatcher().drain();
    await prune();
    expect(await count()).toBe(2);
    opened.clock.advance(1);
    await prune();
    expect(await count()).toBe(1);
    await opened.webhooks.delete(opened.organizationId, id, {
      now: opened.clock(),
      write: undefined,
    });
    await prune();
    expect(await count()).toBe(0);
  });

  it('have durations that differ from the real ones by at most 10 %, and at most 60 different ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30_000 }), (durationMs) => {
        const error = Math.abs(roundDuration(durationMs) - durationMs) / durationMs;
        expect(error).toBeLessThanOrEqual(0.1);
      }),
    );
    const all = Array.from({ length: 5_500 }, (_, durationMs) => roundDuration(durationMs));
    expect(new Set(all).size).toBeLessThanOrEqual(60);
    expect(all.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
  });

  it('take no statement without an attempt', async () => {
    const opened = await openDispatcher();
    await opened.stored.database.writeDirectly((transaction) => countAttempts(transaction, []));
  });
});
