import { v7 as newUuid } from 'uuid';
import { expect, it } from 'vitest';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { urlCreated } from '../../src/urls/url-events.js';
import { DeliveryQueue } from '../../src/webhooks/delivery-queue.js';
import { eventExamples } from '../../src/webhooks/event-examples.js';
import { openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

/** Finds deliveries of announced webhooks only. */
class QueueWithoutSearch extends DeliveryQueue {
  override async findDue() {
    return [];
  }
}

it('sends new deliveries of an announced webhook without a search for all webhooks', async () => {
  const { stored, organizationId, clock, subscribe, errors, ...opened } = await openDispatcher();
  const { database } = stored;
  const hook = await receiver();
  const webhookId = await subscribe(hook.url);
  const queue = new QueueWithoutSearch(database, opened.outbox, { disableAfterMs: 0 });
  const dispatcher = opened.dispatcher({ queue });
  const outbox = new EventOutbox(database, {
    newId: newUuid,
    onEvents: (webhookIds) => dispatcher.wake(webhookIds),
  });
  dispatcher.start();
  for (const count of [1, 2, 3]) {
    await database.writeDirectly((transaction) =>
      outbox.recordTest(
        transaction,
        organizationId,
        'url.created',
        clock(),
        eventExamples['url.created'],
        webhookId,
      ),
    );
    await hook.arrived(count);
  }
  expect(errors).toEqual([]);
});

it('announces each webhook once for a transaction, and searches all after a fan-out', async () => {
  const { stored, organizationId, subscribe } = await openDispatcher();
  const { database } = stored;
  const [one, two] = [
    await subscribe('https://one.example/'),
    await subscribe('https://two.example/'),
  ];
  const announced: (readonly string[] | undefined)[] = [];
  const outbox = new EventOutbox(database, {
    newId: newUuid,
    onEvents: (webhookIds) => announced.push(webhookIds),
  });
  const record = (count: number) =>
    database.writeDirectly(async (transaction) => {
      const data = eventExamples['url.created'];
      const events = Array(count).fill({ data, subject: {} });
      outbox.record(transaction, organizationId, urlCreated, 0, events);
    });
  await record(3);
  expect(announced.map((webhookIds) => [...(webhookIds ?? [])].sort())).toEqual([
    [one, two].sort(),
  ]);
  await record(200);
  // The transaction has written the first 256 of 400 deliveries.
  expect(announced.slice(1)).toEqual([expect.arrayContaining([one, two]), undefined]);
});
