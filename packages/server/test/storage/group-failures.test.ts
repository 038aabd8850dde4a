import { expect, it } from 'vitest';
import { StorageUnavailableError } from '../../src/storage/database.js';
import { maxGroupSize } from '../../src/storage/group-commit.js';
import { openRepository } from './temporary-database.js';

it('a group that fails because storage is unavailable leaves the writes of later groups alone', async () => {
  const { database, close } = await openRepository();
  const write = (work: () => Promise<string>) => database.writeDirectly(work);
  const failing = write(async () => {
    throw new StorageUnavailableError('the connection was lost');
  });
  const writes = Array.from({ length: 2 * maxGroupSize }, () => write(async () => 'written'));
  const outcomes = (await Promise.allSettled([failing, ...writes])).map(({ status }) => status);
  expect(outcomes.slice(0, maxGroupSize)).toEqual(Array(maxGroupSize).fill('rejected'));
  expect(outcomes.slice(maxGroupSize)).toEqual(Array(maxGroupSize + 1).fill('fulfilled'));
  await close();
});
