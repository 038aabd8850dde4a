import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.js';
import { emptyDatabase } from '../engine.js';
import { migrationNames } from '../storage/migration-names.js';

it('creates the tables once when five nodes start at once', async () => {
  const { databaseUrl, remove } = await emptyDatabase({ isMigrated: false });
  onTestFinished(remove);
  const nodes = Array.from({ length: 5 }, () =>
    openStorage({ databaseUrl, durability: 'process' }),
  );
  onTestFinished(async () => {
    for (const node of nodes) await node.close();
  });
  const applied = await Promise.all(nodes.map((node) => node.migrate()));
  expect(applied.flat()).toEqual(migrationNames);
  expect(await nodes[0]?.findVersionProblem()).toBeUndefined();
});
