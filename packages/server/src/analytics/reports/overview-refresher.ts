import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../ports.js';
import type { Database, Schema } from '../../storage/database.js';
import { hourMs, minuteMs } from './durations.js';
import { findGeneration } from './overview-counts-repository.js';
import { minStoredVisits, storedKeyOf } from './overview-store.js';
import { parseReportQuery, type VisitQuery } from './report-window.js';

export interface OverviewRefresherOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Counts what an overview counts, and stores it. */
  readonly refresh: (organizationId: string, query: VisitQuery) => Promise<unknown>;
  readonly minVisits?: number;
  /** The number of organizations whose counts remain in the cache. */
  readonly maxCached?: number;
}

const checkEveryMs = 15 * minuteMs;
// Also if the counts were not stored: those of some organizations are too large.
const refreshEveryMs = 4 * hourMs;
const retryAfterMs = hourMs;
// The counts of these organizations remain in the cache of the reports, whose thread ends after ten minutes
// without a call.
const defaultMaxCached = 4;
const cacheEveryMs = 5 * minuteMs;
// A refresh that takes longer counts all visits.
const slowMs = 15_000;
// So many chunks with 2,048 visits each show that an organization is large.
const chunksPerCheck = 1_000;
// As many as the overview itself leaves out of the cache.
const maxStaleShare = 1 / 64;

/**
 * Refreshes what is counted for the default overviews of large organizations, so that the first overview
 * after a start or a night is quick: what is cached of a few of them, and what is stored of the others.
 * Without a large organization, a check reads one index.
 */
export class OverviewRefresher {
  readonly #options: OverviewRefresherOptions;
  readonly #minVisits: number;
  readonly #maxCached: number;
  /** When to check an organization again. */
  #checkAt = new Map<string, number>();
  #cached = new Set<string>();

  constructor(options: OverviewRefresherOptions) {
    this.#options = options;
    this.#minVisits = options.minVisits ?? minStoredVisits;
    this.#maxCached = options.maxCached ?? defaultMaxCached;
  }

  /** Refreshes what is due, one organization after another. */
  async tick(signal: AbortSignal): Promise<void> {
    const { database, clock, refresh } = this.#options;
    const large = await findLarge(database.read, defaultQuery(clock()).since);
    this.#checkAt = new Map([...this.#checkAt].filter(([id]) => large.includes(id)));
    this.#cached = new Set([...this.#cached].filter((id) => large.includes(id)));
    for (const id of large) {
      const now = clock();
      if (signal.aborted) return;
      if ((this.#checkAt.get(id) ?? 0) > now) continue;
      const query = defaultQuery(now);
      const visits = await countNewest(database.read, id, query.since);
      const isCached = visits >= this.#minVisits && this.#isCached(id);
      const isDue =
        isCached || (visits >= this.#minVisits && (await this.#isDue(id, query, visits)));
      // Applies after an error, so that the others follow.
      this.#checkAt.set(id, now + (isDue ? retryAfterMs : checkEveryMs));
      if (!isDue) continue;
      await unlessAborted(refresh(id, query), signal);
      const remainsCached = isCached && clock() - now < slowMs;
      this.#checkAt.set(id, now + (remainsCached ? cacheEveryMs : refreshEveryMs));
    }
  }

  /** Returns whether an organization is one of the few whose counts remain in the cache. */
  #isCached(organizationId: string): boolean {
    if (this.#cached.size < this.#maxCached) this.#cached.add(organizationId);
    return this.#cached.has(organizationId);
  }

  /** Returns whether the stored counts are missing, or lack many of the visits. */
  async #isDue(organizationId: string, query: VisitQuery, visits: number): Promise<boolean> {
    const { read } = this.#options.database;
    const generation = await findGeneration(
      read,
      organizationId,
      storedKeyOf(organizationId, query),
    );
    if (generation === undefined) return true;
    if (generation < query.until - (query.until - query.since) * maxStaleShare) return true;
    return (await countNewest(read, organizationId, generation)) > visits * maxStaleShare;
  }
}

/** Waits for work until the signal aborts. The work then ends with its thread. */
export async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let abort = () => {};
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
  });
  signal.addEventListener('abort', abort);
  try {
    await Promise.race([work, aborted]);
  } finally {
    // The signal is that of the service, which refreshes many organizations.
    signal.removeEventListener('abort', abort);
  }
}

/** Returns the query of an overview without parameters. */
function defaultQuery(now: number): VisitQuery {
  return parseReportQuery({ groupBy: 'day' }, now, 0);
}

/** Returns the organizations that have at least 512 chunks with visits since an instant, and some others. */
async function findLarge(db: Kysely<Schema>, since: number): Promise<readonly string[]> {
  // The index `organization_chunks_sample` has only these rows. With `distinct`, SQLite would not use it.
  const { rows } = await sql<{ id: string }>`
    select organization_id as id from organization_chunks
    where number % 256 = 255 and last_at >= ${since}`.execute(db);
  return [...new Set(rows.map(({ id }) => id))];
}

/** Counts the visits in the newest chunks of an organization, of those that have visits since an instant. */
async function countNewest(
  db: Kysely<Schema>,
  organizationId: string,
  since: number,
): Promise<number> {
  const { rows } = await sql<{ visits: number }>`
    select coalesce(sum(visit_count), 0) as visits from (
      select visit_count, last_at from organization_chunks
      where organization_id = ${organizationId}
      order by number desc limit ${chunksPerCheck}) newest
    where last_at >= ${since}`.execute(db);
  return Number(rows[0]?.visits);
}
