import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QueueFullError } from '../fair-queue.js';
import { BodySlots } from './body-slots.js';

const open = (total: number, perOrganization: number, graceMs = 5_000) =>
  new BodySlots({ total, perOrganization, graceMs });

/** Waits for a slot, as the body of a request does. */
function hold(slots: BodySlots, organizationId: string, onSlow = () => {}) {
  let bytes = 0;
  const acquired = slots.acquire(organizationId, () => bytes, onSlow);
  return {
    acquired,
    add(more: number) {
      bytes += more;
    },
    release: async () => (await acquired)(),
  };
}

it('an organization has at most its share, and organizations take turns', async () => {
  const slots = open(3, 2);
  const admitted: string[] = [];
  const held = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => {
    const slot = hold(slots, name[0] as string);
    slot.acquired.then(() => admitted.push(name));
    return slot;
  });
  await nextTurn();
  expect(admitted).toEqual(['a1', 'a2', 'b1']);
  for (const slot of held) {
    await slot.release();
    await slot.release();
    await nextTurn();
  }
  expect(admitted).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'c1']);
  const others = ['x', 'y', 'z'].map((name) => hold(slots, name));
  for (const slot of others) await slot.acquired;
  for (const slot of others) await slot.release();
});

it('the number of bodies that wait is bounded for each organization', async () => {
  const slots = open(1, 1);
  const first = hold(slots, 'a');
  await first.acquired;
  const waiting = Array.from({ length: 256 }, () => hold(slots, 'a').acquired);
  await expect(hold(slots, 'a').acquired).rejects.toThrow(QueueFullError);
  expect(slots.queue.figures).toMatchObject({ running: 1, waiting: 256, refused: 1 });
  slots.queue.close();
  await Promise.allSettled(waiting);
  await first.release();
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
    const slot = hold(open(2, 2), 'a', onSlow);
    slot.add(16 * 1024);
    await slot.acquired;
    vi.advanceTimersByTime(6_999);
    expect(onSlow).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(onSlow).toHaveBeenCalledOnce();
    await slot.release();
  });

  it('may arrive at the minimum rate, and is not timed after its release', async () => {
    const onSlow = vi.fn();
    const slot = hold(open(2, 2, 1_000), 'a', onSlow);
    await slot.acquired;
    for (let second = 0; second < 30; second += 1) {
      slot.add(8 * 1024);
      vi.advanceTimersByTime(1_000);
    }
    await slot.release();
    await nextTurn();
    vi.advanceTimersByTime(60_000);
    expect(onSlow).not.toHaveBeenCalled();
  });

  it('must arrive faster while all slots are taken and another body waits', async () => {
    const slots = open(1, 1);
    const onSlow = vi.fn();
    const slow = hold(slots, 'a', onSlow);
    await slow.acquired;
    const send = (seconds: number, bytesPerSecond: number) => {
      for (let second = 0; second < seconds; second += 1) {
        slow.add(bytesPerSecond);
        vi.advanceTimersByTime(1_000);
      }
    };
    send(20, 16 * 1024);
    expect(onSlow).not.toHaveBeenCalled();
    onSlow.mockImplementation(() => slow.release());
    const other = hold(slots, 'b');
    send(1, 16 * 1024);
    expect(onSlow).toHaveBeenCalledOnce();
    await other.release();
  });

  it('may keep its slot at 256 KB a second while others wait', async () => {
    const slots = open(1, 1);
    const onSlow = vi.fn();
    const fast = hold(slots, 'a', onSlow);
    await fast.acquired;
    const other = hold(slots, 'b');
    for (let second = 0; second < 16; second += 1) {
      fast.add(256 * 1024);
      vi.advanceTimersByTime(1_000);
    }
    expect(onSlow).not.toHaveBeenCalled();
    await fast.release();
    await other.release();
  });
});
