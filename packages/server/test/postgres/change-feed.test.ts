import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { type EmptyDatabase, emptyDatabase } from '../engine.js';

const organizationId = randomUUID();

let place: EmptyDatabase;
let node: Database;
beforeAll(async () => {
  place = await emptyDatabase();
  const { databaseUrl } = place;
  node = openStorage({ databaseUrl, durability: 'process' });
  await node.writeDirectly((transaction) =>
    transaction
      .insertInto('organizations')
      .values({ id: organizationId, name: '', plan: 'free', active_urls: 0, created_at: 0 })
      .execute(),
  );
});
afterAll(async () => {
  await node.close();
  await place.remove();
});

const change = () =>
  node.writeDirectly((transaction) =>
    transaction
      .insertInto('domains')
      .values({
        id: randomUUID(),
        organization_id: organizationId,
        hostname: `${randomUUID()}.example`,
        challenge: '',
        is_active: 0,
        created_at: 0,
      })
      .execute(),
  );

it('reports every change within a second', async () => {
  const database = openStorage({ databaseUrl: place.databaseUrl, durability: 'process' });
  let reported = 0;
  let wake: () => void = () => {};
  const fail = (error?: unknown) => {
    throw error ?? new Error('the feed was lost');
  };
  const untouched = { invalidate: fail, markStale: fail };
  const hosts = {
    invalidate(keys: readonly string[]) {
      reported += keys.length;
      wake();
    },
    markStale: fail,
  };
  const caches = { urls: untouched, organizations: untouched, pictures: untouched, hosts };
  const stop = await database.watchChanges?.(caches, fail);
  let committed = 0;
  let late = 0;
  for (let round = 0; round < 30; round += 1) {
    // Some changes are committed during a poll.
    for (let count = 0; count < 3; count += 1) await change();
    committed += 3;
    const startedAt = performance.now();
    while (reported < committed) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (performance.now() - startedAt > 1_000) late += 1;
  }
  await stop?.();
  await database.close();
  expect(reported).toBe(committed);
  // Allows for a machine that stalls once or twice.
  expect(late).toBeLessThanOrEqual(2);
});

it('notifies nobody, because PostgreSQL commits transactions that notify one after another', async () => {
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  const channels: string[] = [];
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  client.on('notification', ({ channel }) => {
    channels.push(channel);
    if (channel === 'end') end();
  });
  await client.query('listen shorty_changes');
  await client.query('listen "end"');
  await change();
  // Notifications arrive in the order of their commits.
  await client.query('notify "end"');
  await ended;
  expect(channels).toEqual(['end']);
});
