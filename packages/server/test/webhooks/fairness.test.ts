import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAddressResolver } from '../../src/network/dns-resolver.js';
import { encryptorOf } from '../../src/storage/secrets.js';
import { bulkInsert } from '../../src/storage/statements.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { encryptSecrets } from '../../src/webhooks/secrets.js';
import { dnsServer } from '../network/dns-server.js';
import { type LocalServer, rawServer } from '../network/local-server.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

// Endpoints that hang do so until the end of the test, however slow the machine is.
const hangForMs = 100_000;

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

/** Creates endpoints of a receiver, each with a backlog. */
async function subscribeMany(
  url: string | ((at: number) => string),
  owners: readonly string[],
  { each, backlog }: { readonly each: number; readonly backlog: number },
): Promise<string[]> {
  const { database } = opened.stored;
  const ids: string[] = [];
  await database.writeDirectly(async (transaction) => {
    const encrypt = await encryptorOf(database, transaction);
    for (const owner of owners) {
      const own = Array.from({ length: each }, () => randomUUID());
      const row = { organization_id: owner, events: '["url.created"]' };
      const times = { is_active: 1, created_at: opened.clock(), updated_at: opened.clock() };
      await bulkInsert(
        transaction,
        'webhooks',
        own.map((id, at) => ({
          id,
          url: typeof url === 'string' ? url : url(ids.length + at),
          secret: encryptSecrets(encrypt, id, { current: 'secret' }),
          ...row,
          ...times,
        })),
      );
      for (let at = 0; at < backlog; at += 1) {
        const data = eventExamples['url.created'];
        const event = { organizationId: owner, now: opened.clock(), data };
        for (const id of own) {
          await opened.outbox.recordTest(transaction, 'url.created', id, event);
        }
      }
      ids.push(...own);
    }
  });
  return ids;
}

const organizations = async (count: number) =>
  Promise.all(Array.from({ length: count }, () => opened.stored.addOrganization('scale')));

describe('beside endpoints that hang', () => {
  it('an endpoint gets all its deliveries before any of 300 hanging ones times out', async () => {
    const hanging = await rawServer(() => {});
    const owners = await organizations(6);
    const ids = await subscribeMany(hanging.url, owners, { each: 50, backlog: 3 });
    const dispatcher = opened.dispatcher({ attemptTimeoutMs: hangForMs });
    dispatcher.start();
    // The hanging endpoints have all the capacity that they can get.
    await connected(hanging, 200);
    const good = await receiver();
    // Another organization, and the one of 50 endpoints that hang.
    for (const owner of [await opened.stored.addOrganization('scale'), owners[0]]) {
      const goodId = await opened.subscribe(good.url, owner);
      await opened.record(goodId, 50);
      dispatcher.wake([goodId]);
    }
    await good.arrived(100);
    expect(await attempted(ids)).toBe(0);
    // The backlog of the others is not in memory, except deliveries in flight.
    await expect.poll(() => dispatcher.countHeld()).toBeLessThanOrEqual(ids.length);
    await dispatcher.stop();
  });

  it('an endpoint is not delayed while the name servers of 200 others do not respond', async () => {
    const dns = await dnsServer();
    const owners = await organizations(4);
    const hanging = (at: number) => `http://hanging-${at}.test/`;
    const ids = await subscribeMany(hanging, owners, { each: 50, backlog: 2 });
    const dispatcher = opened.dispatcher({
      resolve: createAddressResolver({ servers: [dns.address], timeoutMs: hangForMs }),
      attemptTimeoutMs: hangForMs,
    });
    dispatcher.start();
    const names = () => new Set(dns.asked.filter((name) => name.startsWith('hanging-'))).size;
    // Many more than libuv has threads. The socket of the name server has no space for all queries.
    const message = '50 look-ups that hang';
    await expect.poll(names, { message, timeout: 40_000 }).toBeGreaterThanOrEqual(50);
    const good = await receiver();
    dns.set('healthy.test', { addresses: ['127.0.0.1'] });
    const owner = await opened.stored.addOrganization('scale');
    const goodId = await opened.subscribe(`http://healthy.test:${good.port}/`, owner);
    await opened.record(goodId, 50);
    dispatcher.wake([goodId]);
    await good.arrived(50);
    expect(await attempted(ids)).toBe(0);
    await dispatcher.stop();
  });

  it('an endpoint that has hung gets one delivery at a time and loses none', async () => {
    const hanging = await rawServer(() => {});
    const id = await opened.subscribe(hanging.url);
    await opened.record(id, 20);
    const dispatcher = opened.dispatcher({ attemptTimeoutMs: 1_500 });
    dispatcher.start();
    await expect.poll(() => attempted([id])).toBeGreaterThanOrEqual(2);
    expect(dispatcher.countHeld()).toBeLessThanOrEqual(1);
    expect(dispatcher.figures.overdueMs.slow).toBe(0);
    opened.clock.advance(3_000);
    await expect.poll(() => dispatcher.figures.overdueMs.slow, { timeout: 5_000 }).toBe(3_000);
    expect(dispatcher.figures.overdueMs.answering).toBe(0);
    await connected(hanging, 4);
    expect(dispatcher.countHeld()).toBeLessThanOrEqual(1);
    await dispatcher.stop();
    const states = await opened.states(id);
    expect(states.filter((state) => state === 'pending 0 null').length).toBeGreaterThanOrEqual(16);
  });
});

async function connected({ connections }: LocalServer, count: number): Promise<void> {
  const message = `${count} connections to the receiver that hangs`;
  await expect.poll(connections, { message, timeout: 40_000 }).toBeGreaterThanOrEqual(count);
}

/** Returns the number of recorded attempts of some webhooks. */
async function attempted(ids: readonly string[]): Promise<number> {
  const { rows } = await opened.stored.database.read
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', 'deliveries.id', 'delivery_id')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('webhook_id', 'in', ids)
    .executeTakeFirstOrThrow();
  return Number(rows);
}

it('a dispatcher forgets an endpoint that had no delivery for ten minutes', async () => {
  const hook = await opened.hook();
  await opened.record(hook.id);
  const dispatcher = opened.dispatcher();
  expect(await dispatcher.drain()).toBe(1);
  expect(dispatcher.endpointCount).toBe(1);
  const later = performance.now() + 11 * 60_000;
  const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
  onTestFinished(() => clock.mockRestore());
  expect(await dispatcher.drain()).toBe(0);
  expect(dispatcher.endpointCount).toBe(0);
});
