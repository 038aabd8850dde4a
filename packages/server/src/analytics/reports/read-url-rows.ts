import { type CompiledQuery, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { readInBatches } from '../../storage/read-in-batches.js';
import { dayMs, type Window } from './report-window.js';

interface UrlRow {
  readonly url_id: number;
  /** The number of a chunk, or a pruned day. */
  readonly position: number;
}

/** Queries of rows of URLs in ascending order of URL and position. Each selects `rowsPerQuery`. */
export interface UrlRows<R extends UrlRow> {
  /** Selects the first rows of at most `urlsPerQuery` URLs. */
  ofUrls(urlIds: readonly number[], window: Window): CompiledQuery<R>;
  /** Selects the rows of one URL after a position. */
  ofUrl(urlId: number, after: number, window: Window): CompiledQuery<R>;
}

// With the largest chunks, a query returns 80 MB.
const rowsPerQuery = 128;
/** The number of URLs whose rows are selected by one query. */
export const urlsPerQuery = 256;
const beforeFirst = -1;

/** Returns the queries of the chunks that may have visits in a window. */
export function prepareChunks(db: Kysely<Schema>) {
  const rows = sql`select url_id, number as position, visits from visit_chunks
    where last_at >= ${0} and first_at < ${0}`;
  return prepareUrlRows<UrlRow & Pick<Schema['visit_chunks'], 'visits'>>(db, rows, 'number');
}

/** Returns the queries of the pruned days of clicks that are entirely in a window. */
export function prepareClickDays(db: Kysely<Schema>) {
  const rows = sql`select url_id, day as position, scans, summary from click_days
    where day >= ${0} and day + ${sql.lit(dayMs)} <= ${0}`;
  return prepareUrlRows<UrlRow & Pick<Selectable<Schema['click_days']>, 'scans' | 'summary'>>(
    db,
    rows,
    'day',
  );
}

/**
 * Compiles the queries once, with placeholder values that each call replaces. An overview runs hundreds
 * of these queries, and building one takes longer than running it.
 */
function prepareUrlRows<R extends UrlRow>(
  db: Kysely<Schema>,
  rows: RawBuilder<unknown>,
  position: 'number' | 'day',
): UrlRows<R> {
  const prepare = (ofUrls: RawBuilder<unknown>) =>
    sql<R>`${rows} and ${ofUrls} order by url_id, ${sql.ref(position)} limit ${rowsPerQuery}`.compile(
      db,
    );
  const ofUrls = prepare(sql`url_id in (${sql.join(new Array(urlsPerQuery).fill(0))})`);
  const ofUrl = prepare(sql`url_id = ${0} and ${sql.ref(position)} > ${0}`);
  return {
    ofUrls(urlIds, { since, until }) {
      // Repeats the last id, because a prepared query has a fixed number of parameters.
      const ids = Array.from({ length: urlsPerQuery }, (_, at) => urlIds[at] ?? urlIds.at(-1));
      return { ...ofUrls, parameters: [since, until, ...ids, rowsPerQuery] };
    },
    ofUrl: (urlId, after, { since, until }) => ({
      ...ofUrl,
      parameters: [since, until, urlId, after, rowsPerQuery],
    }),
  };
}

/** Reads the pruned days of a QR code's scans that are entirely in a window. */
export async function* readScanDays(
  db: Kysely<Schema>,
  qrId: string,
  { since, until }: Window,
): AsyncGenerator<{ readonly summary: string }> {
  const days = sql`from scan_days as own
    where own.qr_id = ${qrId} and own.day >= ${since} and own.day + ${sql.lit(dayMs)} <= ${until}`;
  for await (const rows of readInBatches(db, days, ['day'])) {
    for (const { summary } of rows) yield { summary: String(summary) };
  }
}

/** Reads the rows of at most `urlsPerQuery` URLs, whose ids are in ascending order. */
export async function* readUrlRows<R extends UrlRow>(
  db: Kysely<Schema>,
  { ofUrls, ofUrl }: UrlRows<R>,
  urlIds: readonly number[],
  window: Window,
): AsyncGenerator<R> {
  async function* rowsOf(urlId: number, after: number): AsyncGenerator<R> {
    for (let last = after; ; ) {
      const { rows } = await db.executeQuery(ofUrl(urlId, last, window));
      yield* rows;
      if (rows.length < rowsPerQuery) return;
      last = (rows.at(-1) as R).position;
    }
  }
  let remaining = urlIds;
  while (remaining.length > 1) {
    const { rows } = await db.executeQuery(ofUrls(remaining, window));
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerQuery) return;
    yield* rowsOf(last.url_id, last.position);
    remaining = remaining.filter((id) => id > last.url_id);
  }
  for (const urlId of remaining) yield* rowsOf(urlId, beforeFirst);
}
