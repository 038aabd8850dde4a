import { decodeRow } from '../../src/analytics/ingest/stored-visits.js';
import type { Database } from '../../src/storage/database.js';
import { poll } from '../poll.js';

export interface StoredVisit {
  readonly urlId: number;
  readonly visitedAt: number;
}

/** Reads every stored visit. */
export async function storedVisits(database: Database): Promise<StoredVisit[]> {
  const rows = await database.read.selectFrom('visits').selectAll().orderBy('id').execute();
  return rows.flatMap((row) => {
    const { urlIds, visitedAt } = decodeRow(row);
    return Array.from(urlIds, (urlId, at) => ({ urlId, visitedAt: visitedAt[at] as number }));
  });
}

/** Resolves to the stored visits when there are at least `count`. */
export function untilStored(database: Database, count: number): Promise<StoredVisit[]> {
  return poll(
    `${count} stored visits`,
    () => storedVisits(database),
    (visits) => visits.length >= count,
  );
}

/** Returns the counter of a link. */
export async function clicksOf({ read }: Database, urlId: number): Promise<number> {
  const counted = read.selectFrom('url_clicks').select('clicks').where('url_id', '=', urlId);
  return (await counted.executeTakeFirst())?.clicks ?? 0;
}
