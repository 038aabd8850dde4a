import { expect, it, onTestFinished } from 'vitest';
import { diagnoseVisits } from '../../src/analytics/reports/visit-doctor.js';
import { makeVisit, openVisitStore } from './visit-store.js';

it('a row whose stored counts of a text differ from its visits is damaged', async () => {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const { urlIds } = await stored.createLinks(1);
  const countries = ['DE', 'FR', 'DE'];
  const visits = countries.map((country) =>
    makeVisit({ urlId: urlIds[0] ?? 0, facts: { country } }),
  );
  await stored.store(visits);
  const countDamaged = async () => (await diagnoseVisits(database)).damaged.length;
  expect(await countDamaged()).toBe(0);
  const row = await database.read.selectFrom('visits').select('visits').executeTakeFirstOrThrow();
  const bytes = Buffer.from(row.visits).toString('latin1');
  const replaced = bytes.replace('[["DE","FR"],[2,1]]', '[["DE","FR"],[1,2]]');
  expect(replaced).not.toBe(bytes);
  const set = { visits: Buffer.from(replaced, 'latin1') };
  await database.writeDirectly((transaction) =>
    transaction.updateTable('visits').set(set).execute(),
  );
  expect(await countDamaged()).toBe(1);
});
