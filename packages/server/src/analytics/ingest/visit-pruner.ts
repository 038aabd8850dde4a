import { isDeepStrictEqual } from 'node:util';
import { type Insertable, type Kysely, sql } from 'kysely';
import type { Config } from '../../config.js';
import type { Clock } from '../../ports.js';
import {
  type Database,
  type Schema,
  StorageUnavailableError,
  type WriteTransaction,
} from '../../storage/database.js';
import { writeCompactedVisits } from '../../storage/locks.js';
import { dayMs } from '../reports/durations.js';
import { PrunedDays, storePrunedDays } from '../reports/pruned-days.js';
import { decodeColumns, decodeUnlessDamaged, toChunk } from './columns-codec.js';
import { findOrganizations } from './read-stored-visits.js';
import { selectSpans, toScannedUrls } from './scanned-url.js';
import { slicesOf } from './slices-of.js';
import { filterColumns, type VisitColumns } from './visit-columns.js';

export interface VisitPrunerOptions extends Pick<Config, 'retentionDays'> {
  readonly database: Database;
  readonly clock: Clock;
}

/** Reports of the default window, 30 days before now, need the times of visits. */
const minRetentionDays = 31;

/** Returns for how many days visits are retained with a setting. */
export function retentionOf(settingDays: number | undefined): number | undefined {
  return settingDays && Math.max(minRetentionDays, settingDays);
}

// The number of URLs that one query lists.
const urlsPerQuery = 100;
// A transaction prunes entire days, and several days only up to this number of visits. On SQLite, it
// blocks all other writes.
const visitsPerTransaction = 65_536;
// The number of chunks in memory: typically 1 MB, at most 10 MB.
const chunksPerRead = 16;

/**
 * Replaces visits that are older than the retention period by daily reports. Returns the number of
 * URLs whose visits were pruned. Throws at the end when some URLs could not be pruned. Stops early
 * when the signal aborts.
 */
export async function pruneVisits(
  { database, clock, retentionDays }: VisitPrunerOptions,
  signal?: AbortSignal,
): Promise<number> {
  if (retentionDays === undefined) return 0;
  // Only entire days are pruned.
  const before = startOfDay(clock() - retentionDays * dayMs);
  let pruned = 0;
  const errors: unknown[] = [];
  for await (const urlId of listUrls(database, before)) {
    try {
      let hasMore = true;
      while (hasMore && !signal?.aborted) hasMore = await pruneDays(database, urlId, before);
      pruned += 1;
    } catch (error) {
      if (error instanceof StorageUnavailableError) throw error;
      // One URL must not block the others.
      errors.push(new Error(`URL ${urlId}: old visits were not pruned`, { cause: error }));
    }
    if (signal?.aborted) return pruned;
  }
  if (!signal?.aborted) await pruneOrganizationChunks(database, before, errors, signal);
  await database.dropEmptyPartitions(before);
  if (errors.length > 0) {
    throw new AggregateError(errors, 'old visits of some URLs were not pruned');
  }
  return pruned;
}

/** Lists the URLs that have visits before an instant in chunks. */
async function* listUrls({ read }: Database, before: number): AsyncGenerator<number> {
  for (let last = 0; ; ) {
    const rows = await read
      .selectFrom('visit_chunks')
      .select('url_id')
      .distinct()
      .where('url_id', '>', last)
      .where('first_at', '<', before)
      .orderBy('url_id')
      .limit(urlsPerQuery)
      .execute();
    for (const { url_id } of rows) yield url_id;
    if (rows.length < urlsPerQuery) return;
    last = rows.at(-1)?.url_id as number;
  }
}

/** Prunes the oldest days of a URL. Returns false when none is left. */
async function pruneDays(database: Database, urlId: number, before: number): Promise<boolean> {
  const { read } = database;
  const old = await listChunks(read, urlId, before);
  const end = endOfTransaction(old, before);
  const chunks = old.filter(({ first_at }) => first_at < end);
  if (chunks.length === 0) return false;
  const spans = await selectSpans(read).where('qr_codes.url_id', '=', urlId).execute();
  const days = new PrunedDays(toScannedUrls(spans).get(urlId), end);
  const rest: Insertable<Schema['visit_chunks']>[] = [];
  for (const slice of slicesOf(chunks, chunksPerRead)) {
    const rows = await read
      .selectFrom('visit_chunks')
      .select(['number', 'visits'])
      .where('url_id', '=', urlId)
      .where(
        'number',
        'in',
        slice.map(({ number }) => number),
      )
      .execute();
    for (const { number, visits } of rows) {
      const columns = decodeColumns(visits);
      days.add(columns);
      const later = visitsFrom(columns, end);
      if (later.count > 0) rest.push({ url_id: urlId, number, ...toChunk(later) });
    }
  }
  const reports = days.finish();
  const organizationId = (await findOrganizations(read, [urlId])).get(urlId);
  await writeCompactedVisits(database, async (transaction) => {
    // Another process has changed the chunks. The next call prunes them.
    if (!isDeepStrictEqual(await listChunks(transaction, urlId, end), chunks)) return;
    await storePrunedDays(transaction, urlId, reports);
    if (organizationId) await raiseCompleteFrom(transaction, organizationId, end);
    await transaction
      .deleteFrom('visit_chunks')
      .where('url_id', '=', urlId)
      .where('first_at', '<', end)
      .execute();
    await database.bulkInsert(transaction, 'visit_chunks', rest);
  });
  return true;
}

/**
 * Deletes the visits before an instant from the chunks of organizations. Overviews read them from the
 * chunks of links, or from the days to which these were reduced. Default: of all organizations.
 */
export async function pruneOrganizationChunks(
  database: Database,
  before: number,
  errors: unknown[],
  signal: AbortSignal | undefined,
  ofOrganization?: string,
): Promise<void> {
  const { read } = database;
  for (let last: { organizationId: string; number: number } | undefined; !signal?.aborted; ) {
    const { rows } = await sql<{ organizationId: string; number: number }>`
      select organization_id as "organizationId", number from organization_chunks
      where first_at < ${before}
        ${ofOrganization === undefined ? sql`` : sql`and organization_id = ${ofOrganization}`}
        ${last ? sql`and (organization_id, number) > (${last.organizationId}, ${last.number})` : sql``}
      order by organization_id, number limit ${chunksPerRead}`.execute(read);
    for (const { organizationId, number } of rows) {
      try {
        await pruneOrganizationChunk(database, organizationId, number, before);
      } catch (error) {
        if (error instanceof StorageUnavailableError) throw error;
        const message = `organization ${organizationId}: chunk ${number} was not pruned`;
        errors.push(new Error(message, { cause: error }));
      }
    }
    if (rows.length < chunksPerRead) return;
    last = rows.at(-1);
  }
}

async function pruneOrganizationChunk(
  database: Database,
  organizationId: string,
  number: number,
  before: number,
): Promise<void> {
  await writeCompactedVisits(database, async (transaction) => {
    await raiseCompleteFrom(transaction, organizationId, before);
    const { rows } = await sql<Pick<Schema['organization_chunks'], 'last_at' | 'visits'>>`
      delete from organization_chunks
      where organization_id = ${organizationId} and number = ${number}
      returning last_at, visits`.execute(transaction);
    const [chunk] = rows;
    if (!chunk || chunk.last_at < before) return;
    const columns = decodeUnlessDamaged(chunk.visits);
    // The chunk is a copy: overviews read its later visits by link.
    if (!columns) return raiseCompleteFrom(transaction, organizationId, chunk.last_at + 1);
    const rest = toChunk(visitsFrom(columns, before), 'organization_chunks');
    const row = { organization_id: organizationId, number, ...rest };
    await database.bulkInsert(transaction, 'organization_chunks', [row]);
  });
}

/** Lets overviews read the visits before an instant, and the pruned days, by link. */
export async function raiseCompleteFrom(
  transaction: WriteTransaction,
  organizationId: string,
  completeFrom: number,
): Promise<void> {
  await transaction
    .updateTable('organizations')
    .set({ chunks_complete_from: completeFrom })
    .where('id', '=', organizationId)
    .where('chunks_complete_from', '<', completeFrom)
    .execute();
}

function listChunks(db: Kysely<Schema>, urlId: number, before: number) {
  return db
    .selectFrom('visit_chunks')
    .select(['number', 'first_at', 'visit_count'])
    .where('url_id', '=', urlId)
    .where('first_at', '<', before)
    .orderBy('first_at')
    .orderBy('number')
    .execute();
}

/** Returns the end of the days that one transaction prunes: at least the oldest day. */
function endOfTransaction(
  chunks: readonly Pick<Schema['visit_chunks'], 'first_at' | 'visit_count'>[],
  before: number,
): number {
  const firstDay = startOfDay(chunks[0]?.first_at ?? before);
  let visits = 0;
  for (const { first_at, visit_count } of chunks) {
    visits += visit_count;
    if (visits > visitsPerTransaction) return Math.max(startOfDay(first_at), firstDay + dayMs);
  }
  return before;
}

function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

/** Returns the visits since an instant. */
function visitsFrom(columns: VisitColumns, since: number): VisitColumns {
  return filterColumns(columns, (index) => (columns.visitedAt[index] as number) >= since);
}
