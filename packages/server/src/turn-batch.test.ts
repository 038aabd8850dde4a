import { expect, test } from 'vitest';
import { TurnBatch } from './turn-batch.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('the items of one turn are flushed together and in order, after the turn', async () => {
  const handed: (readonly number[])[] = [];
  const batch = new TurnBatch<number>((items) => handed.push(items));
  batch.add(1);
  await Promise.resolve();
  batch.add(2);
  expect(handed).toEqual([]);
  await nextTurn();
  expect(handed).toEqual([[1, 2]]);
});

test('an item that is added during a flush belongs to the next one', async () => {
  const handed: (readonly number[])[] = [];
  const batch = new TurnBatch<number>((items) => {
    handed.push(items);
    if (items[0] === 1) batch.add(2);
  });
  batch.add(1);
  await nextTurn();
  await nextTurn();
  expect(handed).toEqual([[1], [2]]);
});
