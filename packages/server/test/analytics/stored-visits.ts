import { decodeColumns } from '../../src/analytics/ingest/columns-codec.js';
import {
  findCompactionOfBatch,
  firstPendingUrl,
  readBatches,
} from '../../src/analytics/ingest/read-stored-visits.js';
import type { VisitColumns } from '../../src/analytics/ingest/visit-columns.js';
import type { Database } from '../../src/storage/database.js';
import { poll } from '../poll.js';

export interface StoredVisit {
  readonly urlId: number;
  readonly visitedAt: number;
  readonly source: string;
  readonly country: string;
}

/** Reads every stored visit, in batches and chunks. */
export async function storedVisits(database: Database): Promise<StoredVisit[]> {
  return database.snapshot(async (db) => {
    const visits: StoredVisit[] = [];
    const compactionOf = await findCompactionOfBatch(db);
    for (const { id, columns } of await readBatches(db)) {
      const firstPending = firstPendingUrl(compactionOf, id);
      for (let at = 0; at < columns.count; at += 1) {
        const urlId = columns.urlIds?.[at] as number;
        if (urlId >= firstPending) visits.push({ urlId, ...factsAt(columns, at) });
      }
    }
    const chunks = await db.selectFrom('visit_chunks').select(['url_id', 'visits']).execute();
    for (const chunk of chunks) {
      const columns = decodeColumns(chunk.visits);
      for (let at = 0; at < columns.count; at += 1) {
        visits.push({ urlId: chunk.url_id, ...factsAt(columns, at) });
      }
    }
    return visits;
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

function factsAt({ dictionaries, visitedAt }: VisitColumns, at: number) {
  const textOf = (column: 'source' | 'country') =>
    dictionaries[column].values[dictionaries[column].codes[at] as number] as string;
  return {
    visitedAt: visitedAt[at] as number,
    source: textOf('source'),
    country: textOf('country'),
  };
}
