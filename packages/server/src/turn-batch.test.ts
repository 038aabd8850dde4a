import { expect, test } from 'vitest';
import { TurnBatch } from './turn-batch.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('what comes within one turn is handed over together, in order, and nothing before', async () => {
  const handed: (readonly number[])[] = [];
  const batch = new TurnBatch<number>((items) => handed.push(items));
  batch.add(1);
  await Promise.resolve();
  batch.add(2);
  expect(handed).toEqual([]);
  await nextTurn();
  expect(handed).toEqual([[1, 2]]);
});

test('what comes while it hands over belongs to the next turn', async () => {
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
