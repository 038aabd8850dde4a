import { beforeEach, describe, expect, it } from 'vitest';
import { urlCreated } from '../../src/urls/url-events.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { UnwantedDeliveries } from '../../src/webhooks/unwanted-deliveries.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

/** Records events about links with these ids. */
const happen = (urlIds: readonly number[]) =>
  opened.stored.database.writeDirectly((transaction) =>
    opened.outbox.record(transaction, opened.organizationId, urlCreated, opened.clock(), () =>
      urlIds.map((urlId) => ({
        data: eventExamples['url.created'],
        subject: { urlId, domainId: null, tags: '' },
      })),
    ),
  );

const change = (id: string, patch: object) => {
  const { organizationId, webhooks, clock } = opened;
  return webhooks.update(organizationId, id, patch, { now: clock(), write: undefined });
};

const countByStatus = async (id: string) => {
  const rows = await opened.stored.database.read
    .selectFrom('deliveries')
    .select(['status', 'last_error', ({ fn }) => fn.countAll<number>().as('count')])
    .where('webhook_id', '=', id)
    .groupBy(['status', 'last_error'])
    .execute();
  return Object.fromEntries(
    rows.map(({ status, last_error, count }) => [`${status} ${last_error}`, Number(count)]),
  );
};

const excluded = 'failed The filters of the webhook no longer allow this event';
const removed = 'failed The webhook no longer subscribes to url.created';

describe('many pending deliveries that a webhook no longer wants', () => {
  it('end in batches, those of another webhook do not, and nothing of them is sent', async () => {
    const hook = await receiver();
    const id = await opened.subscribe(hook.url);
    const other = await opened.subscribe(`${hook.url}/other`);
    const ids = Array.from({ length: 600 }, (_, at) => at + 1);
    for (let at = 0; at < ids.length; at += 100) {
      await happen(ids.slice(at, at + 100));
      opened.clock.advance(1);
    }
    await change(id, { filters: { urlIds: ids.slice(550) } });
    // Events whose deliveries the dispatcher writes later are checked, too.
    await opened.dispatcher().drain();
    expect(hook.received.filter(({ path }) => path === '/')).toHaveLength(50);
    const counts = await countByStatus(id);
    expect(counts['delivered null']).toBe(50);
    expect(counts['pending null']).toBeUndefined();
    expect(await countByStatus(other)).toEqual({ 'delivered null': 600 });
  });

  it('end although two processes end them, and also while the webhook is inactive', async () => {
    const hook = await receiver();
    const id = await opened.subscribe(hook.url);
    for (let times = 0; times < 4; times += 1) await happen(Array(200).fill(1));
    while (await opened.outbox.fanOut());
    await change(id, { isActive: false });
    await change(id, { events: ['qr.created'] });
    const { database } = opened.stored;
    const both = [new UnwantedDeliveries(database), new UnwantedDeliveries(database)];
    await Promise.all(
      both.map(async (unwanted) => {
        while (await unwanted.endSome(opened.clock()));
      }),
    );
    expect(await countByStatus(id)).toEqual({ [removed]: 800 });
    expect(await both[0]?.endSome(opened.clock())).toBe(false);
  });

  it('wait for the outcome of an attempt in progress', async () => {
    const hook = await receiver();
    const id = await opened.subscribe(hook.url);
    await happen([1, 2]);
    const { clock } = opened;
    const [claimed] = await opened.claim([id]);
    if (!claimed) throw new Error('nothing was claimed');
    await change(id, { filters: { urlIds: [3] } });
    const unwanted = new UnwantedDeliveries(opened.stored.database);
    expect(await unwanted.endSome(clock())).toBe(false);
    expect(await countByStatus(id)).toEqual({ 'pending null': 2 });
    // No further claim meanwhile.
    expect(await opened.findEndpoints()).toEqual([]);
    expect(await opened.claim([id], 9)).toEqual([]);
    const outcome = {
      delivery: claimed,
      url: hook.url,
      attemptedAt: clock(),
      durationMs: 1,
      statusCode: 204,
      cause: null,
      error: null,
      responseBody: '',
      nextAttemptAt: null,
    };
    await opened.recordOutcome(outcome, [id]);
    while (await unwanted.endSome(clock()));
    expect(await countByStatus(id)).toEqual({ [excluded]: 1, 'delivered null': 1 });
    await happen([3]);
    expect(await opened.findEndpoints()).toHaveLength(1);
  });

  it('are sent again when the webhook wants them before they have ended', async () => {
    const hook = await receiver();
    const id = await opened.subscribe(hook.url);
    await happen([1, 2, 3]);
    await change(id, { events: ['qr.created'] });
    await change(id, { events: ['url.created'] });
    await opened.dispatcher().drain();
    expect(await countByStatus(id)).toEqual({ 'delivered null': 3 });
  });
});
