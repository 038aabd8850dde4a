import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { QueueFullError } from '../fair-queue.js';
import { BodySlots } from './body-slots.js';

it('an organization has at most its share, and organizations take turns', async () => {
  const slots = new BodySlots({ total: 3, perOrganization: 2 });
  const admitted: string[] = [];
  const held = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => {
    const slot = slots.slotFor(name[0] as string);
    slot.acquire().then(() => admitted.push(name));
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
  for (const name of ['x', 'y', 'z']) await slots.slotFor(name).acquire();
});

it('a slot is acquired once, however often acquire is called', async () => {
  const slots = new BodySlots({ total: 1, perOrganization: 1 });
  const slot = slots.slotFor('a');
  await slot.acquire();
  await slot.acquire();
  slot.release();
  await slots.slotFor('b').acquire();
});

it('the number of bodies that wait is bounded for each organization', async () => {
  const slots = new BodySlots({ total: 1, perOrganization: 1 });
  await slots.slotFor('a').acquire();
  const waiting = Array.from({ length: 256 }, () => slots.slotFor('a'));
  const admissions = waiting.map((slot) => slot.acquire());
  await expect(slots.slotFor('a').acquire()).rejects.toThrow(QueueFullError);
  expect(slots.queue.figures).toMatchObject({ running: 1, waiting: 256, refused: 1 });
  slots.queue.close();
  await Promise.allSettled(admissions);
});
