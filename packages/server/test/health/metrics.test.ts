import type { ParsedFamily } from 'parse-prometheus-text-format';
import parsePrometheus from 'parse-prometheus-text-format';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { api as routes } from '../../src/api/api.js';
import { healthHandlers } from '../../src/health/health-handlers.js';
import { bulkInsert } from '../../src/storage/statements.js';
import { person, startForTest, type TestServer } from '../api/start-server.js';
import { fileForTest } from '../storage/temporary-database.js';
import { receiver } from '../webhooks/receiver.js';

let api: TestServer;
beforeEach(async () => {
  api = await startForTest({
    databaseUrl: `file:${fileForTest().path}`,
    allowPrivateNetwork: true,
    webhookRetrySchedule: [3_600_000],
  });
});

/** The metrics as a third-party parser reads them. */
async function families(): Promise<Map<string, ParsedFamily>> {
  const response = await fetch(`${api.server.url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return new Map(parsePrometheus(await response.text()).map((family) => [family.name, family]));
}

/** The value of a metric by its name and the values of its labels. */
async function metric(name: string, ...labels: string[]): Promise<number | undefined> {
  const family = (await families()).get(name);
  const found = family?.metrics.find(
    (sample) => Object.values(sample.labels ?? {}).join() === labels.join(),
  );
  return found && Number(found.value);
}

async function until(name: string, labels: readonly string[], value: number): Promise<void> {
  await expect.poll(() => metric(name, ...labels), { message: name, timeout: 10_000 }).toBe(value);
}

describe('GET /metrics', () => {
  it('has each metric once, with its type, its help and at least one value', async () => {
    const text = await (await fetch(`${api.server.url}/metrics`)).text();
    const parsed = parsePrometheus(text);
    const names = parsed.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, help, type, metrics } of parsed) {
      expect(name).toMatch(/^(shorty|process|nodejs)_[a-z0-9_]+$/);
      expect(help).not.toBe('');
      expect(type).toMatch(/^(COUNTER|GAUGE|HISTOGRAM)$/);
      if (name.startsWith('shorty_')) expect(type === 'COUNTER').toBe(name.endsWith('_total'));
      if (name.startsWith('shorty_')) expect(metrics.length).toBeGreaterThan(0);
    }
    // Each line is a comment, or a name, labels and a number; empty lines are ignored.
    for (const line of text.split('\n').filter((each) => each !== '')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\\\n]*",?)+\})? [-+.e\d]+)$/);
    }
  });

  it('counts API requests and their durations by operation and status', async () => {
    const body = { targetUrl: 'https://example.com/' };
    await api.call('createUrl', { body });
    await api.call('createUrl', { body });
    await api.call('createUrl', { body: {} });
    await fetch(`${api.server.url}/api/no/such/path`);
    expect(await metric('shorty_api_requests_total', 'createUrl', '201')).toBe(2);
    expect(await metric('shorty_api_requests_total', 'createUrl', '400')).toBe(1);
    expect(await metric('shorty_api_requests_total', 'none', '404')).toBe(1);
    // The parser does not support histograms with labels.
    const text = await (await fetch(`${api.server.url}/metrics`)).text();
    const family = 'shorty_api_request_duration_seconds';
    const bucket = new RegExp(
      `^${family}_bucket{le="([^"]+)",operation="createUrl"} (\\d+)$`,
      'gm',
    );
    const buckets = [...text.matchAll(bucket)].map(([, le, count]) => [le, Number(count)] as const);
    const counts = buckets.map(([, count]) => count);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(buckets.length).toBeGreaterThan(10);
    expect(buckets.at(-1)).toEqual(['+Inf', 3]);
    expect(text).toContain(`${family}_count{operation="createUrl"} 3\n`);
    expect(text).toMatch(new RegExp(`^${family}_sum{operation="createUrl"} 0\\.\\d+$`, 'm'));
  });

  it('has the failures of every operation from the start', async () => {
    const text = await (await fetch(`${api.server.url}/metrics`)).text();
    const failures = text.match(
      /^shorty_api_requests_total\{operation="\w+",status="50[03]"\} 0$/gm,
    );
    expect(failures).toHaveLength(2 * (routes.length + 1));
    expect(failures).toContain('shorty_api_requests_total{operation="createUrl",status="500"} 0');
    expect(failures).toContain('shorty_api_requests_total{operation="none",status="503"} 0');
  });

  it('counts responses to visits by status, with time series from the start', async () => {
    const name = 'shorty_link_responses_total';
    expect(await metric(name, '410')).toBe(0);
    expect(await metric(name, '503')).toBe(0);
    const create = async (fields: object) => {
      const body = { targetUrl: 'https://example.com/', ...fields };
      return await api.createLink(body);
    };
    const link = await create({});
    const moved = await create({ redirectType: 301 });
    const locked = await create({ isPasswordProtected: true, password: 'open sesame' });
    const deleted = await create({});
    await api.call('deleteUrl', { params: { id: deleted.id } });
    const paths = [link, moved, locked, deleted].map(({ shortCode }) => shortCode);
    for (const path of [...paths, 'unknown', paths[0]]) {
      await fetch(`${api.server.url}/${path}`, { redirect: 'manual' });
    }
    const counts = [307, 301, 200, 410, 404].map((status) => metric(name, `${status}`));
    expect(await Promise.all(counts)).toEqual([2, 1, 1, 1, 1]);
  });

  it('counts delivery attempts by outcome, and measures late deliveries', async () => {
    const good = await receiver();
    const bad = await receiver((response) => response.writeHead(500).end());
    for (const { url } of [good, bad]) {
      await api.call('createWebhook', { body: { url, events: ['url.created'], isActive: true } });
    }
    await api.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
    await until('shorty_delivery_attempts_total', ['url.created', 'delivered'], 1);
    await until('shorty_delivery_attempts_total', ['url.created', 'retried'], 1);
    expect(await metric('shorty_webhook_oldest_pending_seconds', 'answering')).toBe(0);
    expect(await metric('shorty_webhook_oldest_pending_seconds', 'slow')).toBe(0);
    api.clock.advance(3_600_000);
    await until('shorty_delivery_attempts_total', ['url.created', 'failed'], 1);
    expect(good.received.length + bad.received.length).toBe(3);
  });

  it('counts events of clicks that are dropped while too many wait, and logs one line', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    api = await startForTest({ logger });
    const body = { url: 'https://receiver.example/', events: ['url.clicked'] };
    await api.call('createWebhook', { body });
    const { id, shortCode } = await api.createLink();
    await api.click(id);
    const { database } = api.server;
    const row = await database.read.selectFrom('deliveries').selectAll().executeTakeFirstOrThrow();
    const due_at = api.clock() + 86_400_000;
    const waiting = Array.from({ length: 20_000 }, (_, at) => ({ ...row, id: `${at}`, due_at }));
    await database.writeDirectly((transaction) => bulkInsert(transaction, 'deliveries', waiting));
    const name = 'shorty_click_events_dropped_total';
    expect(await metric(name)).toBe(0);
    for (const dropped of [1, 2]) {
      await api.visit(`/${shortCode}`, { headers: person });
      await until(name, [], dropped);
    }
    const logged = lines.filter((line) => line.includes('events of clicks dropped'));
    expect(logged).toEqual([expect.stringContaining(`"webhookId":"${row.webhook_id}"`)]);
    expect((await api.getLink(id)).clickCount).toBe(3);
  });

  it('shows visits, storage and the process', async () => {
    const body = { targetUrl: 'https://a.example/', maxClicks: 1 };
    const { shortCode } = await api.createLink(body);
    // API calls are lines of the journal, too.
    await until('shorty_journal_waiting', [], 0);
    const before = (await metric('shorty_journal_lines_stored_total')) ?? 0;
    await api.visit(`/${shortCode}`, { headers: person });
    await api.visit(`/${shortCode}`, { method: 'HEAD' });
    // No click is left, so it is no visit.
    expect((await api.visit(`/${shortCode}`, { headers: person })).status).toBe(410);
    await until('shorty_journal_lines_stored_total', [], before + 2);
    expect(await metric('shorty_visits_total', 'human', 'browser')).toBe(1);
    expect(await metric('shorty_visits_total', 'head', 'head-request')).toBe(1);
    expect(await metric('shorty_journal_waiting')).toBe(0);
    expect(await metric('shorty_storage_bytes')).toBeGreaterThanOrEqual(4_096);
    expect(await metric('shorty_storage_log_bytes')).toBeGreaterThan(0);
    expect(await metric('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(await metric('process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
    // Since the scrape before, which may be less than a millisecond ago.
    expect(await metric('nodejs_eventloop_lag_max_seconds')).toBeGreaterThanOrEqual(0);
  });
});

describe('GET /health/ready', () => {
  const ready = (sinceTickMs: number) => {
    const options = {
      database: api.server.database,
      lifecycleError: () => undefined,
      diskError: async () => undefined,
      visitError: () => undefined,
      visitFigures: () => ({ damagedLines: 0 }),
      dispatchFigures: () => ({ sinceTickMs }),
    };
    const { getReadiness } = healthHandlers(options as never, []);
    return getReadiness({} as Parameters<typeof getReadiness>[0]);
  };

  it('responds with 503 while the dispatcher makes no progress', async () => {
    expect(await ready(5_000)).toMatchObject({ status: 200 });
    await expect(ready(15_000)).rejects.toThrow(
      'The webhook dispatcher has made no progress for 15 s',
    );
  });
});
