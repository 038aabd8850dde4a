import { beforeEach, describe, expect, it } from 'vitest';
import { urlCreated } from '../../src/urls/url-events.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

/** Records events about links with these ids. */
const happen = (urlIds: readonly number[]) =>
  opened.stored.database.writeDirectly(async (transaction) => {
    const events = urlIds.map((urlId) => ({
      data: eventExamples['url.created'],
      subject: { urlId, domainId: null, tags: '' },
    }));
    const { outbox, organizationId, clock } = opened;
    outbox.record(transaction, organizationId, urlCreated, clock(), events);
  });

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

const dropped = 'failed The webhook no longer subscribes to this event';

describe('pending deliveries that a webhook no longer wants', () => {
  it('fail when they are due, those of another webhook do not, and nothing of them is sent', async () => {
    const hook = await opened.hook();
    const other = await opened.subscribe(`${hook.url}/other`);
    const ids = Array.from({ length: 200 }, (_, at) => at + 1);
    await happen(ids);
    await opened.change(hook.id, { filters: { urlIds: ids.slice(150) } });
    await opened.dispatcher().drain();
    expect(hook.received.filter(({ path }) => path === '/')).toHaveLength(50);
    const counts = await countByStatus(hook.id);
    expect(counts['delivered null']).toBe(50);
    expect(counts['pending null']).toBeUndefined();
    expect(await countByStatus(other)).toEqual({ 'delivered null': 200 });
  });

  it('fail although retries were due, and not those of tests', async () => {
    const hook = await opened.hook((response, count) => {
      response.writeHead(count === 1 ? 500 : 204).end();
    });
    await happen([1]);
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    await opened.change(hook.id, { events: ['qr.created'] });
    await opened.record(hook.id);
    opened.clock.advance(60_000);
    await dispatcher.drain();
    expect(await countByStatus(hook.id)).toEqual({ [dropped]: 1, 'delivered null': 1 });
    expect(hook.received).toHaveLength(2);
  });
});
