import { expect, it } from 'vitest';
import { afterCommit } from '../../src/storage/group-commit.js';
import { openRepository } from './temporary-database.js';

it('afterCommit calls back once, after the commit, and never after a rollback', async () => {
  const { database, close } = await openRepository();
  const calls: string[] = [];
  const note = () => calls.push('committed');
  const work = () =>
    database.writeDirectly(async (transaction) => {
      afterCommit(transaction, note);
      afterCommit(transaction, note);
      calls.push('written');
    });
  await work();
  expect(calls).toEqual(['written', 'committed']);
  const failing = database.writeDirectly(async (transaction) => {
    afterCommit(transaction, () => calls.push('undone'));
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  // Writes of one turn of the event loop may share a commit, and then the callback.
  calls.length = 0;
  await Promise.all([work(), work()]);
  expect(calls.filter((call) => call === 'written')).toHaveLength(2);
  expect(calls.at(-1)).toBe('committed');
  await close();
});
