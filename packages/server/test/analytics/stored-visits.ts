import { decodeRow } from '../../src/analytics/ingest/stored-visits.js';
import type { Database } from '../../src/storage/database.js';
import { poll } from '../poll.js';

export interface StoredVisit {
  readonly urlId: number;
  readonly visitedAt: number;
  readonly source: string;
  readonly country: string;
}

/** Reads every stored visit. */
export async function storedVisits(database: Database): Promise<StoredVisit[]> {
  const rows = await database.read.selectFrom('visits').selectAll().orderBy('id').execute();
  return rows.flatMap((row) => {
    const { urlIds, visitedAt, dictionaries } = decodeRow(row);
    return Array.from(urlIds, (urlId, at) => {
      const textOf = (column: 'source' | 'country') =>
        dictionaries[column].values[dictionaries[column].codes[at] as number] as string;
      return {
        urlId,
        visitedAt: visitedAt[at] as number,
        source: textOf('source'),
        country: textOf('country'),
      };
    });
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
