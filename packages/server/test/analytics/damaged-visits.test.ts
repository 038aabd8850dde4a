import { expect, it, onTestFinished } from 'vitest';
import { eraseVisits, markErased } from '../../src/analytics/ingest/erase-visits.js';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import { diagnoseVisits } from '../../src/analytics/reports/visit-doctor.js';
import { day, makeVisit, openVisitStore, start } from './visit-store.js';

it('a row of which a bit has changed is damaged, and neither erased nor merged', async () => {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const { database } = stored;
  const { urlIds } = await stored.createLinks(1);
  const countries = ['DE', 'FR', 'DE'];
  const [urlId = 0] = urlIds;
  await stored.store(countries.map((country) => makeVisit({ urlId, facts: { country } })));
  const countDamaged = async () => (await diagnoseVisits(database)).damaged.length;
  expect(await countDamaged()).toBe(0);
  const read = async () =>
    (await database.read.selectFrom('visits').selectAll().executeTakeFirstOrThrow()).visits;
  const bytes = Buffer.from(await read());
  const changed = Buffer.from(bytes);
  // The time of the second visit, after the header, the id and the first time.
  changed[16 + 8 + 8] = (changed[16 + 8 + 8] as number) ^ 1;
  await database.writeDirectly((transaction) =>
    transaction.updateTable('visits').set({ visits: changed }).execute(),
  );
  expect(await countDamaged()).toBe(1);
  await database.writeDirectly((transaction) => markErased(transaction, urlId, start + 1));
  expect((await eraseVisits(database)).get(urlId)).toContain('cannot be read');
  await expect(mergeVisits(database, start + day)).rejects.toThrow('cannot be read');
  expect(changed.equals(await read())).toBe(true);
});
