import { v7 as newUuid } from 'uuid';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createVisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import type { Visit } from '../../src/analytics/journal/journal-lines.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import { bulkInsert } from '../../src/storage/statements.js';
import {
  clickRetentionMs,
  deliveryRetentionMs,
  pruneDeliveries,
} from '../../src/webhooks/delivery-pruner.js';
import { createWebhookRepository } from '../../src/webhooks/webhook-repository.js';
import { makeVisit, openVisitStore } from '../analytics/visit-store.js';
import { testClock } from '../api/start-server.js';

type Place = Parameters<ReturnType<typeof createVisitRepository>['store']>[1];
type Opened = Awaited<ReturnType<typeof open>>;

/** Opens storage with a link of an organization. */
async function open() {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const clock = testClock();
  const webhooks = createWebhookRepository(stored.database);
  const organizationId = await stored.addOrganization('scale');
  const [created] = await stored.create(organizationId, [{ customSlug: 'spring' }], ['C000001']);
  const urlId = created?.id ?? 0;
  return {
    stored,
    clock,
    webhooks,
    organizationId,
    urlId,
    async subscribe(events: readonly string[] = ['url.clicked'], owner = organizationId) {
      const request = { url: 'https://receiver.example/', events };
      const context = { organizationId: owner, now: clock(), write: undefined };
      const creating = webhooks.create(request as Parameters<typeof webhooks.create>[0], context);
      return (await creating).result.id;
    },
    change: (id: string, patch: Parameters<typeof webhooks.update>[1]) =>
      webhooks.update(id, patch, { organizationId, now: clock(), write: undefined }),
    store: (count: number, change: Parameters<typeof makeVisit>[0] = {}) =>
      stored.store(
        Array.from({ length: count }, () => makeVisit({ urlId, ...change })),
        clock(),
      ),
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
        .orderBy('sequence')
        .execute();
      return rows.map(({ body, created_at }) => ({ at: created_at, ...JSON.parse(body).data }));
    },
    countWebhooks: async () =>
      (await stored.database.read.selectFrom('webhooks').selectAll().execute()).length,
  };
}

let opened: Opened;
beforeEach(async () => {
  opened = await open();
});

const sizes = async (webhookId: string) =>
  (await opened.events(webhookId)).map(({ visits }) => visits.length);
const visitsOf = async (webhookId: string) =>
  (await opened.events(webhookId)).flatMap((event) => event.visits);

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
    await opened.stored.store(visits, opened.clock());
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
    expect(event).toEqual({ at: opened.clock(), visits: [first, second] });
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
    const visits = await visitsOf(id);
    expect(visits[1]).not.toHaveProperty('scanCertainty');
    expect(visits).toMatchObject([
      { method: 'scan', scanCertainty: 'proven' },
      { method: 'click', customSlug: 'spring' },
    ]);
    // Without a slug, a phone that opens the link may have scanned the code.
    await opened.stored.database.writeDirectly((transaction) =>
      transaction.updateTable('urls').set({ custom_slug: null }).execute(),
    );
    const ownNavigation = 16;
    await opened.store(1, { isByCode: true, facts: { evidence: ownNavigation } });
    const [, , later] = await visitsOf(id);
    expect([later]).toMatchObject([
      { method: 'scan', scanCertainty: 'inferred', shortUrl: 'https://sho.example/C000001' },
    ]);
  });

  it('is written with each transaction for each webhook, with up to 500 visits', async () => {
    const ids = [await opened.subscribe(), await opened.subscribe()];
    await opened.store(700);
    await opened.store(300);
    for (const id of ids) {
      const [first = 0, second = 0, ...others] = await sizes(id);
      expect(Math.max(first, second)).toBeLessThanOrEqual(500);
      expect([first + second, ...others]).toEqual([700, 300]);
    }
  });

  it('has a body of at most 100 KB', async () => {
    const id = await opened.subscribe();
    await opened.store(600, { facts: { referrerDomain: 'ä'.repeat(253) } });
    const rows = await opened.stored.database.read.selectFrom('events').select('body').execute();
    for (const { body } of rows) expect(Buffer.byteLength(body)).toBeLessThan(100 * 1024);
    expect(await visitsOf(id)).toHaveLength(600);
  });

  it('is not written while too many of them wait for the webhook', async () => {
    const id = await opened.subscribe();
    const dropped: [string, number][] = [];
    const onDropped = (...each: [string, number]) => dropped.push(each);
    Object.assign(opened.stored.clicks, { maxWaiting: 3, onDropped });
    for (const count of [1, 2]) await opened.store(count);
    const later = await opened.subscribe();
    for (const count of [3, 4]) await opened.store(count);
    expect(await sizes(id)).toEqual([1, 2, 3]);
    expect(await sizes(later)).toEqual([3, 4]);
    expect(dropped).toEqual([[id, 1]]);
    await opened.deliver();
    await opened.store(5);
    expect(await sizes(id)).toEqual([1, 2, 3, 5]);
  });
});

it('a large url.clicked is not written while 64 MB of its size wait, and a small one is', async () => {
  const id = await opened.subscribe();
  await opened.store(1);
  const { database } = opened.stored;
  const row = await database.read.selectFrom('deliveries').selectAll().executeTakeFirstOrThrow();
  const copies = Array.from({ length: 670 }, () => ({ ...row, id: newUuid() }));
  await database.writeDirectly((transaction) => bulkInsert(transaction, 'deliveries', copies));
  let dropped = 0;
  opened.stored.clicks.onDropped = (_, events) => {
    dropped += events;
  };
  await opened.store(500);
  await opened.store(2);
  // Two events, because 500 visits have more than 100 KB.
  expect(dropped).toBe(2);
  expect([...new Set(await sizes(id))]).toEqual([1, 2]);
});

it('each stored click is in exactly one event, also when transactions fail before their commit', async () => {
  const id = await opened.subscribe();
  const { database, clicks } = opened.stored;
  let writes = 0;
  const writeDirectly: typeof database.writeDirectly = (work, lock) =>
    database.writeDirectly(async (transaction) => {
      const result = await work(transaction);
      writes += 1;
      if (writes % 3 !== 0) throw new Error('killed');
      return result;
    }, lock);
  const outbox = createEventOutbox(database, { newId: newUuid });
  const failing = { ...database, writeDirectly };
  const visits = createVisitRepository(failing, { outbox, thresholds: [], clicks });
  const batch = Array.from({ length: 7 }, () => makeVisit({ urlId: opened.urlId }));
  let failures = 0;
  for (let part = 0; part < 10; ) {
    const [from, to] = [part, part + 1].map((offset) => ({ segment: 1, offset })) as [Place, Place];
    try {
      // Another node, or the same one after a kill, stores the same lines.
      for (const isStored of [true, false, false]) {
        if (!isStored) writes += 2;
        const storing = visits.store('another', from, to, { visits: batch }, opened.clock());
        expect(await storing).toBe(isStored);
      }
      part += 1;
    } catch (error) {
      expect((error as Error).message).toBe('killed');
      failures += 1;
    }
  }
  expect(failures).toBe(20);
  expect(await visitsOf(id)).toHaveLength(70);
});

describe('a webhook', () => {
  it('gets the clicks that are stored after it subscribed', async () => {
    const id = await opened.subscribe(['url.created']);
    await opened.store(1);
    await opened.change(id, { events: ['url.clicked'] });
    await opened.store(2);
    expect(await sizes(id)).toEqual([2]);
  });

  it('gets no clicks of the time in which its owner paused it, and those before it later', async () => {
    const id = await opened.subscribe();
    await opened.store(1);
    await opened.change(id, { isActive: false });
    await opened.store(2);
    await opened.change(id, { isActive: true });
    await opened.store(4);
    expect(await sizes(id)).toEqual([1, 4]);
  });

  it('retains delivered clicks for a day, and failed ones for 30 days', async () => {
    const id = await opened.subscribe();
    const { database } = opened.stored;
    for (let events = 0; events < 2; events += 1) {
      await opened.store(1);
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
    expect(await opened.countWebhooks()).toBe(6);
    await opened.subscribe(['url.clicked'], await opened.stored.addOrganization('scale'));
  });

  it('that unsubscribes or is deleted gets no more of them', async () => {
    const first = await opened.subscribe();
    const second = await opened.subscribe();
    await opened.store(1);
    await opened.change(first, { events: ['url.created'] });
    const { organizationId, webhooks, clock } = opened;
    await webhooks.delete(second, { organizationId, now: clock(), write: undefined });
    await opened.store(2);
    expect([await sizes(first), await sizes(second)]).toEqual([[1], [1]]);
    await pruneDeliveries(opened.stored.database, opened.clock());
    expect(await opened.countWebhooks()).toBe(1);
    expect([await sizes(first), await sizes(second)]).toEqual([[1], []]);
  });
});
