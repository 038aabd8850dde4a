import type { CompiledQuery } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { eraseVisits, markErased } from '../../src/analytics/ingest/erase-visits.js';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import { ReportReader } from '../../src/analytics/reports/report-reader.js';
import type { Database } from '../../src/storage/database.js';
import { explain, recordStatements } from '../storage/statement-plans.js';
import { day, makeVisit, month, openVisitStore, start } from './visit-store.js';

interface Link {
  readonly organizationId: string;
  readonly urlId: number;
}

const query = { since: start, until: month.until, conditions: [], limit: 100 };

it.each<[string, (database: Database, link: Link) => Promise<unknown>]>([
  [
    'the list of visits',
    (database, { organizationId }) =>
      new ReportReader(database).readVisits(organizationId, query, start, {}),
  ],
  [
    'the report of a link',
    (database, { organizationId, urlId }) =>
      new ReportReader(database).readClicks(organizationId, urlId, month),
  ],
  ['a merge', (database) => mergeVisits(database, start + day)],
  [
    'an erasure',
    async (database, { urlId }) => {
      await database.writeDirectly((transaction) => markErased(transaction, urlId, start));
      expect(await eraseVisits(database)).toEqual(new Map());
    },
  ],
])('%s reads visits by their organization or their id only', async (_what, run) => {
  const { database, createLinks, store, close } = await openVisitStore();
  onTestFinished(close);
  const { organizationId, urlIds } = await createLinks(1);
  const [urlId = 0] = urlIds;
  await store([makeVisit({ urlId }), makeVisit({ urlId, visitedAt: start + 1 })]);
  const statements = new Map<string, CompiledQuery>();
  await run(recordStatements(database, statements), { organizationId, urlId });
  const ofVisits = [...statements.values()].filter(({ sql }) => /\bfrom "?visits\b/.test(sql));
  // The merge finds the organizations that have rows to merge: it reads the index of waiting rows.
  const owned = ofVisits.filter(({ sql }) => !sql.includes('group by organization_id'));
  expect(owned).not.toEqual([]);
  for (const { text, conditions } of await explain(database, owned)) {
    expect(conditions, text).toEqual([
      expect.stringMatching(/organization_id\W*=|^\(?(id|rowid)\b/),
    ]);
  }
});
