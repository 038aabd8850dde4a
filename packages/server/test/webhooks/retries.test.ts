import { beforeEach, describe, expect, it } from 'vitest';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { receiver, verify } from './receiver.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

describe('a non-2xx response triggers retry', () => {
  it('after 30 s, 2 min, 10 min, 1 h, 6 h and 24 h; after the final attempt the delivery is failed', async () => {
    const { clock, deliveries, states } = opened;
    const hook = await opened.hook((response) => response.writeHead(503).end('not now'));
    await opened.record(hook.id);
    const dispatcher = opened.dispatcher();
    const start = clock();
    const delays = [30 * second, 2 * minute, 10 * minute, hour, 6 * hour, 24 * hour];

    expect(await dispatcher.drain()).toBe(1);
    for (const [index, delay] of delays.entries()) {
      expect(await states(hook.id)).toEqual([`pending ${index + 1} The receiver answered 503`]);
      clock.advance(delay - 1);
      expect(await dispatcher.drain()).toBe(0);
      clock.advance(1);
      expect(await dispatcher.drain()).toBe(1);
    }
    expect(await states(hook.id)).toEqual(['failed 7 The receiver answered 503']);
    clock.advance(1000 * hour);
    expect(await dispatcher.drain()).toBe(0);

    expect(hook.received).toHaveLength(7);
    expect(clock() - 1000 * hour - start).toBe(31 * hour + 12 * minute + 30 * second);
    const body = hook.received[0]?.body;
    const deliveryId = hook.received[0]?.headers['x-service-delivery-id'];
    let at = start;
    for (const [index, got] of hook.received.entries()) {
      at += index === 0 ? 0 : (delays[index - 1] ?? 0);
      expect(got.body).toBe(body);
      expect(got.headers['x-service-delivery-id']).toBe(deliveryId);
      expect(got.headers['x-service-timestamp']).toBe(String(at / second));
      verify(got, 'secret', at);
    }
    const found = await deliveries.find(hook.id, String(deliveryId));
    expect(found?.attemptHistory.map(({ number, statusCode }) => [number, statusCode])).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) => [number, 503]),
    );
    expect(found?.attemptHistory[0]?.responseBody).toBe('not now');
  });

  it('a 2xx response from the receiver is a success and ends retries', async () => {
    const statuses = [500, 302, 410, 299];
    const hook = await opened.hook((response, count) => {
      response.writeHead(statuses[count - 1] ?? 500, { location: '/elsewhere' }).end();
    });
    await opened.record(hook.id);
    const dispatcher = opened.dispatcher();
    for (let turn = 0; turn < 6; turn += 1) {
      await dispatcher.drain();
      opened.clock.advance(24 * hour);
    }
    expect(await opened.states(hook.id)).toEqual(['delivered 4 null']);
    // Redirects are not followed: 302 and 410 are failures like any other.
    expect(hook.received.map(({ path }) => path)).toEqual(['/', '/', '/', '/']);
  });

  it('sends replays and retries to the present URL of the webhook', async () => {
    const [before, after] = [
      await receiver((response) => response.writeHead(500).end()),
      await receiver(),
    ];
    const id = await opened.subscribe(before.url);
    await opened.record(id);
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    await opened.setWebhook(id, { url: after.url });
    opened.clock.advance(30 * second);
    await dispatcher.drain();
    expect([before.received.length, after.received.length]).toEqual([1, 1]);
  });
});

it('an inactive webhook gets its pending deliveries when it is active again', async () => {
  const hook = await opened.hook();
  await opened.record(hook.id);
  const turn = (isActive: number) => opened.setWebhook(hook.id, { is_active: isActive });
  const dispatcher = opened.dispatcher();
  await turn(0);
  expect(await dispatcher.drain()).toBe(0);
  expect(await opened.states(hook.id)).toEqual(['pending 0 null']);
  await turn(1);
  expect(await dispatcher.drain()).toBe(1);
  expect(await opened.states(hook.id)).toEqual(['delivered 1 null']);
});

describe('at least once', () => {
  it('sends deliveries of a killed process when their leases have expired', async () => {
    const hook = await opened.hook();
    await opened.record(hook.id);
    const claimed = await opened.claim([hook.id], 10);
    expect(claimed).toHaveLength(1);
    const dispatcher = opened.dispatcher();
    expect(await dispatcher.drain()).toBe(0);
    expect(dispatcher.figures.overdueMs.answering).toBe(0);
    await opened.endLeases();
    expect(await dispatcher.drain()).toBe(1);
    expect(hook.received[0]?.headers['x-service-delivery-id']).toBe(claimed[0]?.id);
  });

  it('two dispatchers share the work and send nothing twice', async () => {
    const hook = await opened.hook();
    await opened.record(hook.id, 200);
    const [one, two] = [opened.dispatcher(), opened.dispatcher()];
    const made = await Promise.all([one.drain(), two.drain()]);
    expect(made[0] + made[1]).toBe(200);
    const ids = hook.received.map(({ headers }) => headers['x-service-delivery-id']);
    expect(new Set(ids).size).toBe(200);
    expect(ids).toHaveLength(200);
  });

  it('the deliveries that a stopped dispatcher did not send are sent after their leases', async () => {
    const hook = await opened.hook(() => {});
    await opened.record(hook.id, 12);
    const first = opened.dispatcher();
    first.start();
    await hook.arrived(1);
    await first.stop();
    expect(hook.received).toHaveLength(1);
    const next = await receiver();
    await opened.setWebhook(hook.id, { url: next.url });
    await opened.endLeases();
    // Also the one that was aborted.
    const second = opened.dispatcher();
    expect(await second.drain()).toBe(12);
    expect(opened.errors).toEqual([]);
  });
});
