import { describe, expect, it } from 'vitest';
import type { AttemptOutcome, ClaimedDelivery, Receiver } from './delivery-queue.js';
import { ReceiverLane } from './receiver-lane.js';

const receiver: Receiver = {
  webhookId: 'webhook',
  url: 'https://receiver.example/',
  secret: 'secret',
  previousSecret: null,
  previousSecretExpiresAt: null,
  dueAt: 0,
};

const deliveries = (count: number): ClaimedDelivery[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `delivery-${at}`,
    webhookId: receiver.webhookId,
    organizationId: 'organization',
    isCharged: true,
    eventType: 'url.created',
    body: '{}',
    attempts: 0,
    leasedUntil: 1000,
  }));

function outcomeOf(delivery: ClaimedDelivery, statusCode: number | null): AttemptOutcome {
  const error = statusCode === 200 ? null : 'failed';
  const rest = { attemptedAt: 0, durationMs: 1, responseBody: null, nextAttemptAt: null };
  return { delivery, statusCode, error, ...rest };
}

/** Finishes so many attempts in the same way; how many are sent at once afterwards. */
function slotsAfter(attempts: number, statusCode: number | null): number {
  const lane = new ReceiverLane(receiver);
  for (let made = 0; made < attempts; made += 1) {
    lane.add(deliveries(1));
    const next = lane.next();
    if (next) lane.finish(outcomeOf(next, statusCode));
  }
  lane.add(deliveries(100));
  let slots = 0;
  while (lane.next()) slots += 1;
  return slots;
}

describe('a receiver is sent a few at once', () => {
  it.each([
    ['4 at first', 0, 200, 4],
    ['one more for each success', 3, 200, 7],
    ['16 at the most', 100, 200, 16],
    ['half as many when it does not answer', 1, null, 2],
    ['and never fewer than 2', 100, null, 2],
    ['as many as before when it answers what is no success', 100, 500, 4],
  ])('%s', (_name, attempts, statusCode, slots) => {
    expect(slotsAfter(attempts, statusCode)).toBe(slots);
  });

  it('has room for what waits, and for no more', () => {
    const lane = new ReceiverLane(receiver);
    const { room } = lane;
    lane.add(deliveries(room));
    expect([lane.room, lane.held]).toEqual([0, room]);
    lane.next();
    expect(lane.room).toBe(0);
    lane.finish(undefined);
    expect(lane.room).toBe(1);
    expect(lane.drain()).toHaveLength(room - 1);
    expect(lane.held).toBe(0);
  });

  it.each([
    ['as many as its slots need after few', 5, 16],
    ['twice what was done since the last claim', 40, 80],
    ['no more than can be begun in time', 200, 256],
  ])('holds %s', (_name, done, held) => {
    const lane = new ReceiverLane(receiver);
    lane.add(deliveries(done));
    for (let next = lane.next(); next; next = lane.next()) lane.finish(outcomeOf(next, 503));
    expect(lane.room).toBe(held);
    lane.add(deliveries(held));
    lane.drain();
    expect(lane.room).toBe(16);
  });
});
