import { expect, it } from 'vitest';
import { openRepository } from './temporary-database.js';

it('afterCommit calls back once, after the commit, and never when the work was undone', async () => {
  const { database, close } = await openRepository();
  const calls: string[] = [];
  const note = () => calls.push('committed');
  const work = () =>
    database.write(async (transaction) => {
      database.afterCommit(transaction, note);
      database.afterCommit(transaction, note);
      calls.push('written');
    });
  await work();
  expect(calls).toEqual(['written', 'committed']);
  const failing = database.write(async (transaction) => {
    database.afterCommit(transaction, () => calls.push('undone'));
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  // Works of one turn share a commit, and with it the call.
  calls.length = 0;
  await Promise.all([work(), work()]);
  expect(calls).toEqual(['written', 'written', 'committed']);
  await close();
});
