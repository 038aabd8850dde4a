import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QueueFullError } from '../fair-queue.js';
import { BodySlots } from './body-slots.js';

const open = (total: number, perOrganization: number, graceMs = 5_000) =>
  new BodySlots({ total, perOrganization, graceMs });
const ignore = () => {};

it('an organization has at most its share, and organizations take turns', async () => {
  const slots = open(3, 2);
  const admitted: string[] = [];
  const held = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => {
    const slot = slots.slotFor(name[0] as string);
    slot.acquire(ignore).then(() => admitted.push(name));
    return slot;
  });
  await nextTurn();
  expect(admitted).toEqual(['a1', 'a2', 'b1']);
  for (const slot of held) {
    slot.release();
    slot.release();
    await nextTurn();
  }
  expect(admitted).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'c1']);
  const others = ['x', 'y', 'z'].map((name) => slots.slotFor(name));
  for (const slot of others) await slot.acquire(ignore);
  for (const slot of others) slot.release();
});

it('a slot is acquired once, however often acquire is called', async () => {
  const slots = open(1, 1);
  const slot = slots.slotFor('a');
  await slot.acquire(ignore);
  await slot.acquire(ignore);
  slot.release();
  const next = slots.slotFor('b');
  await next.acquire(ignore);
  next.release();
});

it('the number of bodies that wait is bounded for each organization', async () => {
  const slots = open(1, 1);
  const first = slots.slotFor('a');
  await first.acquire(ignore);
  const waiting = Array.from({ length: 256 }, () => slots.slotFor('a'));
  const admissions = waiting.map((slot) => slot.acquire(ignore));
  await expect(slots.slotFor('a').acquire(ignore)).rejects.toThrow(QueueFullError);
  expect(slots.queue.figures).toMatchObject({ running: 1, waiting: 256, refused: 1 });
  slots.queue.close();
  await Promise.allSettled(admissions);
  first.release();
});

describe('a body in a slot', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is reported as slow when it stops after the grace period', async () => {
    const onSlow = vi.fn();
    const slot = open(2, 2).slotFor('a');
    slot.add(16 * 1024);
    await slot.acquire(onSlow);
    vi.advanceTimersByTime(6_999);
    expect(onSlow).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(onSlow).toHaveBeenCalledOnce();
    slot.release();
  });

  it('may arrive at the minimum rate, and is not timed after its release', async () => {
    const onSlow = vi.fn();
    const slot = open(2, 2, 1_000).slotFor('a');
    await slot.acquire(onSlow);
    for (let second = 0; second < 30; second += 1) {
      slot.add(8 * 1024);
      vi.advanceTimersByTime(1_000);
    }
    slot.release();
    await nextTurn();
    vi.advanceTimersByTime(60_000);
    expect(onSlow).not.toHaveBeenCalled();
  });

  it('must arrive faster while all slots are taken and another body waits', async () => {
    const slots = open(1, 1);
    const onSlow = vi.fn();
    const slow = slots.slotFor('a');
    await slow.acquire(onSlow);
    const send = (seconds: number, bytesPerSecond: number) => {
      for (let second = 0; second < seconds; second += 1) {
        slow.add(bytesPerSecond);
        vi.advanceTimersByTime(1_000);
      }
    };
    send(20, 16 * 1024);
    expect(onSlow).not.toHaveBeenCalled();
    onSlow.mockImplementation(() => slow.release());
    const other = slots.slotFor('b');
    const acquired = other.acquire(ignore);
    send(1, 16 * 1024);
    expect(onSlow).toHaveBeenCalledOnce();
    await acquired;
    other.release();
  });

  it('may keep its slot at 256 KB a second while others wait', async () => {
    const slots = open(1, 1);
    const onSlow = vi.fn();
    const fast = slots.slotFor('a');
    await fast.acquire(onSlow);
    const other = slots.slotFor('b');
    const acquired = other.acquire(ignore);
    for (let second = 0; second < 16; second += 1) {
      fast.add(256 * 1024);
      vi.advanceTimersByTime(1_000);
    }
    expect(onSlow).not.toHaveBeenCalled();
    fast.release();
    await acquired;
    other.release();
  });
});
