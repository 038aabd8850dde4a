import { type Kysely, type Selectable, sql } from 'kysely';
import type { StoredVisits } from '../../src/analytics/ingest/read-stored-visits.js';
import { allIndexes, humanSources } from '../../src/analytics/ingest/visit-columns.js';
import { PendingVisits } from '../../src/analytics/reports/pending-visits.js';
import {
  type DamagedVisits,
  decodeUndamaged,
  isInRange,
  readVisits,
} from '../../src/analytics/reports/visit-doctor.js';
import { selectClicks } from '../../src/analytics/reports/visit-measures.js';
import type { Database, Schema } from '../../src/storage/database.js';
import { readInBatches } from '../../src/storage/read-in-batches.js';

/** An organization whose chunks do not have the visits of its links. */
interface WrongOrganization {
  readonly id: string;
  /** The clicks since `since` in its chunks, and in those of its links. */
  readonly counted: number;
  readonly actual: number;
  readonly since: number;
  readonly until: number;
}

interface Counts {
  readonly completeFrom: number;
  counted: number;
  actual: number;
  until: number;
  /** True if one of its chunks cannot be read. */
  isDamaged: boolean;
  /** True if a chunk of its links cannot be read, so that they cannot be compared. */
  isUnknown: boolean;
}

/** Compares the clicks in the chunks of organizations with those of their links. */
export function diagnoseOrganizationChunks(
  database: Database,
): Promise<readonly WrongOrganization[]> {
  return database.snapshot(async (db) => {
    const { organizations, ofUrl } = await readOrganizations(db);
    const damaged: DamagedVisits[] = [];
    for await (const { columns, indexes } of readVisits(db, damaged)) {
      const isHuman = humanSources(columns);
      const { codes } = columns.dictionaries.source;
      for (const index of indexes) {
        const counts = ofUrl.get(columns.urlIds[index] as number);
        if (!counts) continue;
        const at = columns.visitedAt[index] as number;
        if (at >= counts.completeFrom) counts.actual += isHuman[codes[index] as number] as number;
        counts.until = Math.max(counts.until, at + 1);
      }
    }
    // A batch that cannot be read may have visits of any organization.
    if (damaged.some(({ urlId }) => urlId === undefined)) return [];
    for (const { urlId } of damaged) {
      const counts = ofUrl.get(urlId ?? 0);
      if (counts) counts.isUnknown = true;
    }
    await countChunks(db, organizations);
    const pending = new PendingVisits(db);
    for (const [id, counts] of organizations) {
      for await (const visits of pending.ofOrganization(db, id)) {
        counts.counted += countClicks(visits, counts.completeFrom);
      }
    }
    return [...organizations]
      .filter(
        ([, { counted, actual, isDamaged, isUnknown }]) =>
          (isDamaged || counted !== actual) && !isUnknown,
      )
      .map(([id, { counted, actual, completeFrom, until }]) => ({
        id,
        counted,
        actual,
        since: completeFrom,
        until,
      }));
  });
}

async function readOrganizations(db: Kysely<Schema>) {
  const organizations = new Map<string, Counts>();
  const ofUrl = new Map<number, Counts>();
  const own = await db
    .selectFrom('organizations')
    .select(['id', 'chunks_complete_from'])
    .where('deletion_started_at', 'is', null)
    .execute();
  for (const { id, chunks_complete_from: completeFrom } of own) {
    organizations.set(id, {
      completeFrom,
      counted: 0,
      actual: 0,
      until: 0,
      isDamaged: false,
      isUnknown: false,
    });
  }
  const urls = sql`from (select id, organization_id from urls) as own where true`;
  for await (const rows of readInBatches(db, urls, ['id'])) {
    for (const { id, organization_id } of rows) {
      const counts = organizations.get(String(organization_id));
      if (counts) ofUrl.set(Number(id), counts);
    }
  }
  return { organizations, ofUrl };
}

/** Counts clicks only: the other visits are pruned from both copies at different times. */
function countClicks(visits: StoredVisits, since: number): number {
  return selectClicks(visits, { since, until: Number.POSITIVE_INFINITY }).length;
}

/** Counts the clicks that overviews read. A damaged chunk counts as none. */
async function countChunks(
  db: Kysely<Schema>,
  organizations: ReadonlyMap<string, Counts>,
): Promise<void> {
  const chunks = sql`from organization_chunks as own where true`;
  const key = ['organization_id', 'number'];
  for await (const rows of readInBatches<Selectable<Schema['organization_chunks']>>(
    db,
    chunks,
    key,
  )) {
    for (const row of rows) {
      const counts = organizations.get(row.organization_id);
      if (!counts || row.last_at < counts.completeFrom) continue;
      counts.until = Math.max(counts.until, row.last_at + 1);
      const columns = decodeUndamaged(row.visits, row.visit_count);
      if (!columns || !isInRange(columns, row)) {
        counts.isDamaged = true;
        continue;
      }
      const indexes = allIndexes(columns);
      counts.counted += countClicks({ columns, indexes }, counts.completeFrom);
    }
  }
}
