import { findCompaction, readBatches } from '../../src/analytics/ingest/chunk-repository.js';
import { decodeColumns } from '../../src/analytics/ingest/columns-codec.js';
import type { Database } from '../../src/storage/database.js';
import { poll } from '../poll.js';

export interface StoredVisit {
  readonly urlId: number;
  readonly source: string;
  readonly country: string;
}

/** Every visit that is in storage, sorted into chunks or not. */
export async function storedVisits(database: Database): Promise<StoredVisit[]> {
  return database.snapshot(async (db) => {
    const visits: StoredVisit[] = [];
    const compaction = await findCompaction(db);
    for (const { id, columns } of await readBatches(db, 0)) {
      const from = compaction && id <= compaction.upToBatch ? compaction.nextUrl : 0;
      for (let at = 0; at < columns.count; at += 1) {
        const urlId = columns.urlIds?.[at] as number;
        if (urlId >= from) visits.push({ urlId, ...textsAt(columns, at) });
      }
    }
    const chunks = await db.selectFrom('visit_chunks').select(['url_id', 'visits']).execute();
    for (const chunk of chunks) {
      const columns = decodeColumns(chunk.visits);
      for (let at = 0; at < columns.count; at += 1) {
        visits.push({ urlId: chunk.url_id, ...textsAt(columns, at) });
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

function textsAt({ words }: ReturnType<typeof decodeColumns>, at: number) {
  const textOf = (column: 'source' | 'country') =>
    words[column].texts[words[column].codes[at] as number] as string;
  return { source: textOf('source'), country: textOf('country') };
}
