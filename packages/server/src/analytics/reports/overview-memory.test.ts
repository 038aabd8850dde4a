import { expect, test } from 'vitest';
import { OverviewMemory } from './overview-memory.js';

let now = 0;
let reads = 0;
const open = () => new OverviewMemory<number>(() => now);
/** Reads an overview, which takes so long. */
const takes = (ms: number) => async () => {
  now += ms;
  reads += 1;
  return reads;
};

test('remembers an overview of more than 500 ms for a minute after its start, by its key', async () => {
  const memory = open();
  const first = await memory.read('a', takes(501));
  expect(await memory.read('a', takes(501))).toBe(first);
  expect(await memory.read('b', takes(501))).not.toBe(first);
  now += 58_997;
  expect(await memory.read('a', takes(501))).toBe(first);
  now += 1;
  expect(await memory.read('a', takes(501))).not.toBe(first);
});

test('does not remember a quick overview, nor one that fails', async () => {
  const memory = open();
  const first = await memory.read('a', takes(500));
  expect(await memory.read('a', takes(500))).not.toBe(first);
  const failing = async () => {
    now += 1_000;
    throw new Error('too large');
  };
  await expect(memory.read('a', failing)).rejects.toThrow('too large');
  expect(await memory.read('a', takes(1))).toBe(reads);
});

test('remembers 32 overviews, and drops the oldest', async () => {
  const memory = open();
  for (let key = 0; key <= 32; key += 1) await memory.read(String(key), takes(501));
  const before = reads;
  await memory.read('1', takes(501));
  expect(reads).toBe(before);
  await memory.read('0', takes(501));
  expect(reads).toBe(before + 1);
});
