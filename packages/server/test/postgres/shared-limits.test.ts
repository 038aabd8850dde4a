import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import type { Database } from '../../src/storage/database.js';
import { type Grant, type Limit, MemoryLimits } from '../../src/storage/limits.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { deleteRestoredUsages } from '../../src/storage/postgres/shared-limits.js';
import type { ApiResponse } from '../api/api-response.js';
import type { Caller } from '../api/start-server.js';
import { type EmptyDatabase, emptyDatabase } from '../engine.js';
import { type Node, startTwoNodes, type TwoNodes } from './two-nodes.js';

const windowed: Limit = { name: 'windowed', units: 5, windowMs: 1000, restores: 'at once' };
const even: Limit = { ...windowed, name: 'even', restores: 'evenly' };

describe('the usages in PostgreSQL', () => {
  let empty: EmptyDatabase;
  /** Two nodes, as far as limits are concerned. */
  let nodes: readonly Database[];
  beforeAll(async () => {
    empty = await emptyDatabase();
    const { databaseUrl } = empty;
    nodes = [0, 1].map(() => openStorage({ databaseUrl, durability: 'process' }));
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    await empty.remove();
  });

  it('follow the same rules as those in memory', async () => {
    const steps = fc.array(
      fc.record({
        passedMs: fc.nat(600),
        limit: fc.constantFrom(even, windowed),
        units: fc.integer({ min: 1, max: 5 }),
        key: fc.constantFrom('a', 'b'),
        // Those of one statement.
        asked: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
        isRefunded: fc.boolean(),
      }),
      { maxLength: 12 },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        run += 1;
        let now = run * 1_000_000;
        const clock = () => now;
        const memory = new MemoryLimits(clock);
        for (const [at, step] of taken.entries()) {
          const { passedMs, limit: kind, units, key: name, asked, isRefunded } = step;
          now += passedMs;
          // The nodes take turns, and a restart of a node may change its limit.
          const shared = (nodes[at % 2] as Database).openLimits(clock);
          const limit = { ...kind, units };
          const key = `${name} ${run}`;
          const expected = asked.map((each) => memory.take(limit, key, each));
          const grants = await Promise.all(asked.map((each) => shared.take(limit, key, each)));
          const [last, lastExpected] = [grants.at(-1) as Grant, expected.at(-1) as Grant];
          expect(grants.map(({ granted }) => granted)).toEqual(
            expected.map(({ granted }) => granted),
          );
          expect(last).toEqual(lastExpected);
          if (!isRefunded || limit.restores === 'evenly') continue;
          memory.refund(limit, key, lastExpected);
          await shared.refund(limit, key, last);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('grant no more than there is to concurrent requests of several nodes', async () => {
    const [first, second] = nodes.map((node) => node.openLimits());
    const limit: Limit = { name: 'race', units: 40, windowMs: 600_000, restores: 'at once' };
    const grants = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        (at % 2 === 0 ? first : second)?.take(limit, `key ${at % 3}`, 2),
      ),
    );
    for (const key of [0, 1, 2]) {
      const ofKey = grants.filter((_, at) => at % 3 === key);
      expect(countOf(ofKey)).toBe(limit.units);
    }
  });

  it('are neither logged nor named by what they belong to', async () => {
    const { read } = nodes[0] as Database;
    await nodes[0]?.openLimits().take(windowed, '192.0.2.1', 1);
    const { rows } = await sql<{ key: string; persistence: string }>`
      select key, relpersistence as persistence from limit_usages, pg_class
        where relname = 'limit_usages'`.execute(read);
    expect(rows.length).toBeGreaterThan(0);
    for (const { key, persistence } of rows) {
      expect(key).toMatch(/^[\w-]{43}$/);
      expect(persistence).toBe('u');
    }
  });

  it('are deleted when all units are restored', async () => {
    const { read, openLimits } = nodes[0] as Database;
    const later: Limit = { ...windowed, name: 'later', windowMs: 600_000 };
    await sql`delete from limit_usages`.execute(read);
    await openLimits(() => Date.now() - 2000).take(windowed, 'restored', 1);
    await openLimits().take(later, 'used', 1);
    await deleteRestoredUsages(read);
    const { rows } = await sql<{ used: number }>`select used from limit_usages`.execute(read);
    expect(rows).toEqual([{ used: later.windowMs }]);
  });
});

function countOf(grants: readonly (Grant | undefined)[]): number {
  return grants.reduce((sum, grant) => sum + (grant?.granted ?? 0), 0);
}

describe('two nodes', () => {
  const rateLimit = 100;
  let pair: TwoNodes;
  let nodes: readonly [Node, Node];
  beforeAll(async () => {
    pair = await startTwoNodes({ rateLimit, trustedProxies: parseAddressRanges('127.0.0.1, ::1') });
    nodes = pair.nodes;
  });
  afterAll(() => pair.stop());

  const statusesOf = (responses: readonly ApiResponse[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  it('compare ten wrong passwords of an address together', async () => {
    const body = { targetUrl: 'https://example.com/', isPasswordProtected: true, password: 'x' };
    const { shortCode } = (await nodes[0].call('createUrl', { body })).data;
    const guess = (node: Node, password: string, address: string) =>
      node.visit(`/${shortCode}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'x-forwarded-for': address },
        body: new URLSearchParams({ password }),
      });
    // Correct ones do not count.
    for (const node of Array.from({ length: 6 }, () => nodes).flat()) {
      expect((await guess(node, 'x', '192.0.2.1')).status).toBe(303);
    }
    const guesses = Array.from({ length: 15 }, () =>
      nodes.map((node) => guess(node, 'wrong', '192.0.2.1')),
    );
    expect(statusesOf(await Promise.all(guesses.flat()))).toEqual({ 401: 10, 429: 20 });
    for (const node of nodes) {
      const refused = await guess(node, 'x', '192.0.2.1');
      expect(refused.outcome).toBe('429 RATE_LIMITED');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
      expect((await guess(node, 'x', '192.0.2.2')).status).toBe(303);
    }
  });

  it('compare thirty wrong secrets of an address together', async () => {
    const ask = (node: Node) =>
      node.visit('/api/v1/auth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.3' },
        body: JSON.stringify({ clientId: 'unknown', clientSecret: 'wrong' }),
      });
    const attempts = Array.from({ length: 25 }, () => nodes.map(ask));
    expect(statusesOf(await Promise.all(attempts.flat()))).toEqual({ 401: 30, 429: 20 });
  });

  it('accept the requests of one limit together, and refuse the next ones both', async () => {
    const callers = await pair.addOrganization('developer');
    const startedAt = performance.now();
    const send = (caller: Caller) => caller.call('getUsage');
    const responses = await Promise.all(Array.from({ length: 75 }, () => callers.map(send)).flat());
    const restored = ((performance.now() - startedAt) / 60_000) * rateLimit;
    const { 200: accepted = 0, 429: refused = 0 } = statusesOf(responses);
    expect(accepted + refused).toBe(150);
    // The node that is refused first cannot use the one that the other one has leased in advance.
    expect(accepted).toBeGreaterThanOrEqual(rateLimit - 1);
    expect(accepted).toBeLessThanOrEqual(rateLimit + restored + 1);
    const next = await Promise.all(Array.from({ length: 10 }, () => callers.map(send)).flat());
    expect(statusesOf(next)[429]).toBeGreaterThan(10);
  });
});
