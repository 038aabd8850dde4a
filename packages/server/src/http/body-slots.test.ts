import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BodySlots } from './body-slots.js';

it('an owner has at most its part, and owners take turns when all slots are taken', async () => {
  const slots = new BodySlots({ total: 3, perOwner: 2 });
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

it('a slot is acquired once, however often it is asked for', async () => {
  const slots = new BodySlots({ total: 1, perOwner: 1 });
  const slot = slots.slotFor('a');
  await slot.acquire();
  await slot.acquire();
  slot.release();
  await slots.slotFor('b').acquire();
});
