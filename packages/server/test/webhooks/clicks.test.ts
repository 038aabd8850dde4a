import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import type { Database } from '../../src/storage/database.js';
import { bulkInsert } from '../../src/storage/statements.js';
import { writeClicks } from '../../src/webhooks/click-queue.js';
import {
  clickRetentionMs,
  deliveryRetentionMs,
  pruneDeliveries,
} from '../../src/webhooks/delivery-pruner.js';
import { createWebhookRepository } from '../../src/webhooks/webhook-repository.js';
import { makeVisit, openVisitStore } from '../analytics/visit-store.js';
import { testClock } from '../api/start-server.js';

type Opened = Awaited<ReturnType<typeof open>>;

const day = 24 * 60 * 60 * 1000;

/** Opens storage with a link of an organization, and a node that batches its clicks. */
async function open() {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const clock = testClock();
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `new-${String(ids).padStart(8, '0')}`;
  };
  const webhooks = createWebhookRepository(stored.database);
  const organizationId = await stored.addOrganization('scale');
  const [created] = await stored.create(organizationId, [{ customSlug: 'spring' }], ['C000001']);
  const urlId = created?.id ?? 0;
  const node = (database: Database = stored.database, maxBatches?: number) => {
    const outbox = createEventOutbox(database, { newId });
    const origins = { scheme: 'https://', shortDomain: 'sho.example' };
    if (maxBatches !== undefined) stored.clicks.maxBatches = maxBatches;
    return { tick: () => writeClicks({ database, outbox, clock, origins }) };
  };
  return {
    stored,
    clock,
    newId,
    webhooks,
    organizationId,
    urlId,
    node,
    async subscribe(events: readonly string[] = ['url.clicked'], owner = organizationId) {
      const request = { url: 'https://receiver.example/', events };
      const context = { organizationId: owner, now: clock(), write: undefined };
      const creating = webhooks.create(request as Parameters<typeof webhooks.create>[0], context);
      return (await creating).result.id;
    },
    change: (id: string, patch: Parameters<typeof webhooks.update>[1]) =>
      webhooks.update(id, patch, { organizationId, now: clock(), write: undefined }),
    store: (count: number, change: Parameters<typeof makeVisit>[0] = {}) =>
      stored.store(Array.from({ length: count }, () => makeVisit({ urlId, ...change }))),
    /** Records that the first attempt of every pending delivery succeeded, or another outcome. */
    deliver: (outcome: object = { status: 'delivered', attempts: 1 }) =>
      stored.database.writeDirectly((transaction) =>
        transaction
          .updateTable('deliveries')
          .set({ ...outcome, due_at: null })
          .where('status', '=', 'pending')
          .execute(),
      ),
    /** Returns the data of a webhook's events, oldest first. */
    async events(webhookId: string) {
      const rows = await stored.database.read
        .selectFrom('events')
        .innerJoin('deliveries', 'event_id', 'events.id')
        .select(['body', 'events.created_at'])
        .where('webhook_id', '=', webhookId)
        .where('type', '=', 'url.clicked')
        .orderBy('events.id')
        .execute();
      return rows.map(({ body, created_at }) => ({ at: created_at, ...JSON.parse(body).data }));
    },
    count: async (table: 'queued_clicks' | 'webhooks') =>
      (await stored.database.read.selectFrom(table).selectAll().execute()).length,
  };
}

let opened: Opened;
beforeEach(async () => {
  opened = await open();
});

const sizes = async (webhookId: string) =>
  (await opened.events(webhookId)).map(({ visits, omitted }) => [visits.length, omitted]);
const visitsOf = async (webhookId: string) =>
  (await opened.events(webhookId)).flatMap((event) => event.visits);

/** Batches clicks, delivers what is due, and moves the clock, again and again. */
async function pass(tick: () => Promise<unknown>, times: number, ms = 1_000): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await tick();
    await opened.deliver();
    opened.clock.advance(ms);
  }
}

describe('url.clicked', () => {
  it('has the clicks of the organization in order, and nothing that identifies a visitor', async () => {
    const other = await opened.stored.addOrganization('scale');
    const id = await opened.subscribe();
    const others = await opened.subscribe(['url.clicked'], other);
    const mute = await opened.subscribe(['url.created']);
    const { urlId } = opened;
    const visits: Visit[] = [
      makeVisit({ urlId, visitedAt: 1_000 }),
      makeVisit({ urlId, facts: { kind: 'bot' } }),
      makeVisit({ urlId: urlId + 1_000 }),
      makeVisit({
        urlId,
        visitedAt: 2_000,
        facts: { country: 'FR', referrerType: 'search', referrerDomain: 'search.example' },
      }),
    ];
    await opened.stored.store(visits);
    await opened.node().tick();
    const [event, ...more] = await opened.events(id);
    expect(more).toEqual([]);
    const first = {
      urlId: String(urlId),
      shortCode: 'C000001',
      customSlug: 'spring',
      shortUrl: 'https://sho.example/spring',
      visitedAt: '1970-01-01T00:00:01.000Z',
      method: 'click',
      country: 'DE',
      deviceType: 'mobile',
      browser: 'Firefox',
      os: 'Android',
      referrerDomain: '(direct)',
      referrerType: 'direct',
    };
    const second = {
      ...first,
      visitedAt: '1970-01-01T00:00:02.000Z',
      country: 'FR',
      referrerDomain: 'search.example',
      referrerType: 'search',
    };
    expect(event).toEqual({ at: opened.clock(), visits: [first, second], omitted: 0 });
    expect(await opened.events(others)).toEqual([]);
    expect(await opened.events(mute)).toEqual([]);
  });

  it('names a visit by a QR code a scan, and says how certain it is', async () => {
    const id = await opened.subscribe();
    await opened.stored.database.writeDirectly((transaction) =>
      bulkInsert(transaction, 'qr_codes', [
        {
          id: 'qr',
          organization_id: opened.organizationId,
          url_id: opened.urlId,
          qr_data: 'https://sho.example/C000001',
          format: 'png',
          size: 512,
          error_correction: 'M',
          foreground_color: '#000000',
          background_color: '#FFFFFF',
          logo_url: null,
          style_preset: 'default',
          created_at: 0,
          updated_at: 0,
          deleted_at: null,
        },
      ]),
    );
    await opened.store(1, { isByCode: true });
    await opened.store(1, { isByCode: false });
    await opened.node().tick();
    const [event] = await opened.events(id);
    expect(event.visits[1]).not.toHaveProperty('scanCertainty');
    expect(event.visits).toMatchObject([
      { method: 'scan', scanCertainty: 'proven' },
      { method: 'click', customSlug: 'spring' },
    ]);
    // Without a slug, a phone that opens the link may have scanned the code.
    await opened.stored.database.writeDirectly((transaction) =>
      transaction.updateTable('urls').set({ custom_slug: null }).execute(),
    );
    const ownNavigation = 16;
    await opened.store(1, { isByCode: true, facts: { evidence: ownNavigation } });
    await opened.deliver();
    opened.clock.advance(1_000);
    await opened.node().tick();
    const [, later] = await opened.events(id);
    expect(later.visits).toMatchObject([
      { method: 'scan', scanCertainty: 'inferred', shortUrl: 'https://sho.example/C000001' },
    ]);
  });

  it('is written at most once a second for each webhook, with up to 500 visits', async () => {
    const ids = [await opened.subscribe(), await opened.subscribe()];
    const { tick } = opened.node();
    await opened.store(700);
    await opened.store(300);
    await pass(tick, 12, 400);
    for (const id of ids) {
      const events = await opened.events(id);
      expect(events).toHaveLength(4);
      expect(Math.max(...events.map(({ visits }) => visits.length))).toBeLessThanOrEqual(500);
      expect(await visitsOf(id)).toHaveLength(1_000);
      const pauses = events.slice(1).map(({ at }, index) => at - (events[index]?.at ?? 0));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('has a body of at most 100 KB', async () => {
    const id = await opened.subscribe();
    await opened.store(600, { facts: { referrerDomain: 'ä'.repeat(253) } });
    await pass(opened.node().tick, 6);
    const rows = await opened.stored.database.read.selectFrom('events').select('body').execute();
    for (const { body } of rows) expect(Buffer.byteLength(body)).toBeLessThan(100 * 1024);
    expect(await visitsOf(id)).toHaveLength(600);
  });

  it('waits for the first attempt to deliver the event before', async () => {
    const id = await opened.subscribe();
    const { tick } = opened.node();
    await opened.store(1);
    await tick();
    for (const count of [2, 3]) {
      opened.clock.advance(5_000);
      await opened.store(count);
      await tick();
    }
    expect(await sizes(id)).toEqual([[1, 0]]);
    await opened.deliver();
    await tick();
    expect(await sizes(id)).toEqual([
      [1, 0],
      [5, 0],
    ]);
  });

  it('is written once a minute while the endpoint fails', async () => {
    const id = await opened.subscribe();
    const { tick } = opened.node();
    await opened.stored.database.writeDirectly((transaction) =>
      transaction.updateTable('webhooks').set({ failing_since: 1 }).execute(),
    );
    for (let seconds = 0; seconds < 120; seconds += 5) {
      await opened.store(1);
      await pass(tick, 1, 5_000);
    }
    expect(await sizes(id)).toEqual([
      [1, 0],
      [12, 0],
    ]);
  });

  it('counts the oldest visits as omitted when too many wait, and loses none silently', async () => {
    const id = await opened.subscribe();
    const { tick } = opened.node(opened.stored.database, 2);
    await opened.store(1);
    await tick();
    for (let part = 0; part < 5; part += 1) {
      await opened.store(400, { visitedAt: part });
      await tick();
    }
    await opened.deliver();
    opened.clock.advance(1_000);
    await pass(tick, 10);
    const events = await opened.events(id);
    expect(events.slice(0, 2).map(({ omitted }) => omitted)).toEqual([0, 1_200]);
    expect(events.slice(2).every(({ omitted }) => omitted === 0)).toBe(true);
    const visits = events.slice(1).flatMap((event) => event.visits);
    expect(visits).toHaveLength(800);
    expect(visits[0].visitedAt).toBe('1970-01-01T00:00:00.003Z');
  });
});

describe('each stored click is in exactly one event', () => {
  it('when several nodes batch clicks at the same time', async () => {
    const id = await opened.subscribe();
    const nodes = [opened.node(), opened.node(), opened.node()];
    for (let round = 0; round < 5; round += 1) {
      await opened.store(20, { visitedAt: round });
      await opened.store(20, { visitedAt: round });
      await Promise.all(nodes.map(({ tick }) => tick()));
      await opened.deliver();
      opened.clock.advance(1_000);
    }
    await nodes[0]?.tick();
    expect(await visitsOf(id)).toHaveLength(200);
  });

  it('when transactions fail before their commit', async () => {
    const id = await opened.subscribe();
    const { database } = opened.stored;
    let writes = 0;
    const failing: Database = {
      ...database,
      writeDirectly: (work, lock) =>
        database.writeDirectly(async (transaction) => {
          const result = await work(transaction);
          writes += 1;
          if (writes % 3 !== 0) throw new Error('killed');
          return result;
        }, lock),
    };
    const { tick } = opened.node(failing);
    let failures = 0;
    for (let round = 0; round < 30; round += 1) {
      if (round < 10) await opened.store(7);
      await tick().catch((error: Error) => {
        expect(error.message).toBe('killed');
        failures += 1;
      });
      await opened.deliver();
      opened.clock.advance(1_000);
    }
    expect(failures).toBeGreaterThan(7);
    expect(await visitsOf(id)).toHaveLength(70);
  });
});

describe('a webhook', () => {
  it('gets the clicks that are stored after it subscribed', async () => {
    const id = await opened.subscribe(['url.created']);
    const { tick } = opened.node();
    await opened.store(1);
    await tick();
    await opened.change(id, { events: ['url.clicked'] });
    await opened.store(2);
    await tick();
    expect(await sizes(id)).toEqual([[2, 0]]);
  });

  it('gets no clicks of the time in which its owner paused it, and those before it later', async () => {
    const id = await opened.subscribe();
    const { tick } = opened.node();
    await opened.store(1);
    await opened.change(id, { isActive: false });
    await opened.store(2);
    await tick();
    expect(await sizes(id)).toEqual([]);
    await opened.change(id, { isActive: true });
    await opened.store(4);
    await tick();
    expect(await sizes(id)).toEqual([[5, 0]]);
  });

  it('gets the clicks of 30 days after the server disabled it', async () => {
    const id = await opened.subscribe();
    const { tick } = opened.node();
    const disabledAt = opened.clock();
    await opened.stored.database.writeDirectly((transaction) =>
      transaction
        .updateTable('webhooks')
        .set({ is_active: 0, disabled_at: disabledAt })
        .where('id', '=', id)
        .execute(),
    );
    await opened.store(2);
    await tick();
    expect(await sizes(id)).toEqual([]);
    opened.clock.advance(29 * day);
    await opened.change(id, { isActive: true });
    await tick();
    expect(await sizes(id)).toEqual([[2, 0]]);
  });

  it('retains delivered clicks for a day, and failed ones for 30 days', async () => {
    const id = await opened.subscribe();
    const { tick } = opened.node();
    const { database } = opened.stored;
    for (let events = 0; events < 2; events += 1) {
      await opened.store(1);
      await tick();
      if (events === 0) await opened.deliver();
      opened.clock.advance(1_000);
    }
    await opened.deliver({ status: 'failed', attempts: 7 });
    const prunedAfter = (ms: number) => pruneDeliveries(database, opened.clock() + ms);
    expect(await prunedAfter(clickRetentionMs - 2_001)).toBe(0);
    expect(await prunedAfter(clickRetentionMs)).toBe(1);
    expect(await sizes(id)).toHaveLength(1);
    expect(await prunedAfter(deliveryRetentionMs)).toBe(1);
    expect(await sizes(id)).toEqual([]);
  });

  it('can be named by at most five webhooks of an organization', async () => {
    const message = 'events can name url.clicked in at most 5 webhooks of an organization';
    for (let webhooks = 0; webhooks < 5; webhooks += 1) await opened.subscribe();
    await expect(opened.subscribe()).rejects.toThrow(message);
    const other = await opened.subscribe(['url.created']);
    const change = opened.change(other, { events: ['url.created', 'url.clicked'] });
    await expect(change).rejects.toThrow(message);
    expect(await opened.count('webhooks')).toBe(6);
    await opened.subscribe(['url.clicked'], await opened.stored.addOrganization('scale'));
  });

  it('that unsubscribes or is deleted loses the visits that wait', async () => {
    const first = await opened.subscribe();
    const second = await opened.subscribe();
    const { tick } = opened.node();
    await opened.store(1);
    expect(await opened.count('queued_clicks')).toBe(2);
    await opened.change(first, { events: ['url.created'] });
    const { organizationId, webhooks, clock } = opened;
    await webhooks.delete(second, { organizationId, now: clock(), write: undefined });
    await pruneDeliveries(opened.stored.database, opened.clock());
    expect(await opened.count('webhooks')).toBe(2);
    await tick();
    expect(await opened.count('queued_clicks')).toBe(0);
    await pruneDeliveries(opened.stored.database, opened.clock() + deliveryRetentionMs);
    expect(await opened.count('webhooks')).toBe(1);
    await opened.store(1);
    await tick();
    expect([...(await visitsOf(first)), ...(await visitsOf(second))]).toEqual([]);
  });
});
