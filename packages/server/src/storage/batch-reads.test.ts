import { expect, it } from 'vitest';
import { batchReads } from './batch-reads.js';

interface Statement {
  readonly keys: readonly string[];
  resolve(): void;
  reject(error: Error): void;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Statements end when the test resolves them. */
function controlled(options = { concurrency: 1, maxKeys: 3 }) {
  const statements: Statement[] = [];
  const read = batchReads({
    ...options,
    readMany: (keys: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        statements.push({ keys, resolve: () => resolve(keys.map((key) => `row ${key}`)), reject });
      }),
  });
  return { read, statements, keys: () => statements.map((each) => each.keys.join('')) };
}

it('reads the keys of a turn by one statement, and those of later turns by the next ones', async () => {
  const { read, statements, keys } = controlled();
  const first = Promise.all([read('a'), read('b')]);
  await turn();
  expect(keys()).toEqual(['ab']);
  const later = Promise.all(['c', 'd', 'e', 'f'].map(read));
  await turn();
  expect(keys()).toEqual(['ab']);
  for (let at = 0; at < 3; at += 1) {
    statements[at]?.resolve();
    await turn();
  }
  expect(await first).toEqual(['row a', 'row b']);
  expect(await later).toEqual(['row c', 'row d', 'row e', 'row f']);
  expect(keys()).toEqual(['ab', 'cde', 'f']);
});

it('runs as many statements at once as it may', async () => {
  const { read, statements, keys } = controlled({ concurrency: 2, maxKeys: 10 });
  const reads = [];
  for (const key of ['a', 'b', 'c', 'd']) {
    reads.push(read(key));
    await turn();
  }
  expect(keys()).toEqual(['a', 'b']);
  statements[1]?.resolve();
  await turn();
  expect(keys()).toEqual(['a', 'b', 'cd']);
  for (const { resolve } of statements) resolve();
  expect(await Promise.all(reads)).toEqual(['row a', 'row b', 'row c', 'row d']);
});

it('a failed statement fails its reads and those that wait, and no later ones', async () => {
  const { read, statements } = controlled();
  const failed = Promise.allSettled([read('a'), read('b')]);
  await turn();
  const waiting = Promise.allSettled([read('d')]);
  statements[0]?.reject(new Error('no connection'));
  const settled = [...(await failed), ...(await waiting)];
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const next = read('c');
  await turn();
  statements[1]?.resolve();
  expect(await next).toBe('row c');
});
