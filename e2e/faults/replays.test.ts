import type { Replay } from '@shorty/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { poll } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { newNode } from '../lib/nodes.js';
import { collectDeliveries, startReceiver } from '../lib/receiver.js';

// A replay waits while 1,000 deliveries are due, so a receiver that does not respond stops this one.
const events = 4_000;
const kills = 3;

test.each(['SQLite', 'PostgreSQL'])(
  'a replay continues on %s after its server was killed, and delivers each event once more',
  async (engine) => {
    const postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined;
    if (postgres) {
      onTestFinished(() => postgres.stop());
      await postgres.createDatabase('nodes');
    }
    const node = await newNode(postgres);
    const shorty = connect(node.origin);
    const { links, deliveriesOf, arrived, onEvent } = collectDeliveries();
    let secret = '';
    const hook = await startReceiver(() => secret, onEvent);
    const webhook = await shorty.webhooks.create({ url: hook.url, events: ['url.created'] });
    ({ secret } = webhook);
    const { created } = await shorty.urls.bulkCreate(
      Array.from({ length: events }, () => ({ targetUrl: 'https://example.com' })),
    );
    const isDelivered = async (count: number) => {
      const query = { status: 'delivered', limit: 1 } as const;
      return (await shorty.webhooks.deliveries(webhook.id, query)).total === count;
    };
    const long = { timeoutMs: 120_000, intervalMs: 100 };
    await poll('all deliveries', () => isDelivered(events), Boolean, long);
    const before = arrived();

    hook.pause();
    const params = { id: webhook.id };
    const body = { since: '2000-01-01T00:00:00Z', status: 'delivered' } as const;
    const { id: replayId } = await shorty.request('POST', '/api/v1/webhooks/{id}/replay', {
      params,
      body,
    });
    const read = (): Promise<Replay> =>
      shorty.request('GET', '/api/v1/webhooks/{id}/replays/{replayId}', {
        params: { ...params, replayId },
      });
    let killedAt = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      if (kill > 0) {
        hook.resume();
        const enough = arrived() + 300;
        await poll('300 deliveries', arrived, (count) => count > enough, long);
        hook.pause();
      }
      await poll('8 waiting deliveries', hook.waiting, (count) => count >= 8, long);
      const { processed, state } = await poll(
        'a replay that has processed more',
        read,
        (job) => job.processed > killedAt || job.state !== 'running',
        long,
      );
      expect(state).toBe('running');
      expect(processed).toBeLessThan(events);
      killedAt = processed;
      await node.kill();
      await node.restart();
    }
    hook.resume();

    const job = await poll('the end of the replay', read, ({ state }) => state !== 'running', long);
    expect(job).toMatchObject({
      state: 'completed',
      total: events,
      processed: events,
      created: events,
    });
    await poll('all new deliveries', () => isDelivered(2 * events), Boolean, long);
    expect([...links].sort()).toEqual(created.map(({ id }) => id).sort());
    const counts = [...deliveriesOf.values()].map((ids) => ids.size);
    expect(counts.filter((count) => count !== 2)).toEqual([]);
    // A delivery whose outcome was not recorded before a kill arrives twice, with the same id.
    const repeated = arrived() - before - events;
    expect(repeated).toBeGreaterThan(0);
    expect(hook.errors).toEqual([]);
    expect(await node.stop()).toBe(0);
  },
);
