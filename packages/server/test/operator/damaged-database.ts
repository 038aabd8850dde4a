import SqliteHandle from 'better-sqlite3';
import { openStorage } from '../../src/storage/open-storage.js';
import { bulkInsert } from '../../src/storage/statements.js';
import { visitRepositoryOn } from '../analytics/stored-visits.js';
import { makeVisit, start } from '../analytics/visit-store.js';
import { newDatabase } from './server-process.js';

/** Returns the settings of a database with a row that has three visits each of two links. */
export async function withVisits(): Promise<Record<string, string>> {
  const settings = await newDatabase();
  const databaseUrl = String(settings.SHORTY_DATABASE_URL);
  const database = openStorage({ databaseUrl, durability: 'process' });
  const organization = { id: 'organization', name: 'Acme', plan: 'scale', created_at: 0 };
  const links = [1, 2].map((id) => ({
    ...{ id, organization_id: organization.id, short_code: `code-${id}`, redirect_type: 307 },
    ...{ target_url: 'https://example.com/', tags: '[]', custom_utm_params: '{}' },
    ...{ is_active: 1, created_at: 0, updated_at: 0 },
  }));
  await database.writeDirectly(async (transaction) => {
    await bulkInsert(transaction, 'organizations', [
      { ...organization, active_urls: 2 },
    ] as never[]);
    await bulkInsert(transaction, 'urls', links as never[]);
  });
  const repository = visitRepositoryOn(database);
  const visits = [0, 1, 2].flatMap((hours) =>
    [1, 2].map((urlId) => makeVisit({ urlId, visitedAt: start + hours * 3_600_000 })),
  );
  const [from, to] = [
    { segment: 1, offset: 0 },
    { segment: 1, offset: 6 },
  ];
  await repository.store('writer', from, to, { visits }, start);
  await database.close();
  return settings;
}

/** Overwrites the stored visits of a row from the given byte on. */
export function damageVisits(settings: Record<string, string>, from: number): void {
  const handle = new SqliteHandle(String(settings.SHORTY_DATABASE_URL).slice('file:'.length));
  const { visits } = handle.prepare('select visits from visits').get() as { visits: Buffer };
  handle
    .prepare('update visits set visits = ?')
    .run(Buffer.from(visits).fill(0xab, from, from + 8));
  handle.close();
}
