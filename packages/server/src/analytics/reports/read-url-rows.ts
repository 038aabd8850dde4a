import type { CompiledQuery, Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import { dayMs, type Window } from './report-window.js';

interface Row {
  /** The number of a chunk, or a pruned day. */
  readonly position: number;
}

/** Queries of rows of URLs in ascending order of URL and position. Each selects `rowsPerQuery`. */
export interface UrlRows<R extends Row> {
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
// Each call of a prepared query replaces these values. An overview runs hundreds of these queries, and
// building one takes longer than running it.
const placeholderUrlIds = new Array<number>(urlsPerQuery).fill(0);
const placeholderTime = 0;

/** Returns the queries of the chunks that may have visits in a window. */
export function prepareChunks(db: Kysely<Schema>) {
  const chunks = db.selectFrom('visit_chunks').select(['url_id', 'number as position', 'visits']);
  const ofUrls = prepare(
    chunks
      .where('url_id', 'in', placeholderUrlIds)
      .where('last_at', '>=', placeholderTime)
      .where('first_at', '<', placeholderTime)
      .orderBy('url_id')
      .orderBy('number')
      .limit(rowsPerQuery),
  );
  const ofUrl = prepare(
    chunks
      .where('url_id', '=', 0)
      .where('number', '>', 0)
      .where('last_at', '>=', placeholderTime)
      .where('first_at', '<', placeholderTime)
      .orderBy('number')
      .limit(rowsPerQuery),
  );
  return {
    ofUrls: (urlIds: readonly number[], { since, until }: Window) =>
      ofUrls(...padded(urlIds), since, until, rowsPerQuery),
    ofUrl: (urlId: number, after: number, { since, until }: Window) =>
      ofUrl(urlId, after, since, until, rowsPerQuery),
  };
}

/** Returns the queries of the pruned days of clicks that are entirely in a window. */
export function prepareClickDays(db: Kysely<Schema>) {
  const days = db
    .selectFrom('click_days')
    .select(['url_id', 'day as position', 'scans', 'summary']);
  const ofUrls = prepare(
    days
      .where('url_id', 'in', placeholderUrlIds)
      .where('day', '>=', placeholderTime)
      .where('day', '<=', placeholderTime)
      .orderBy('url_id')
      .orderBy('day')
      .limit(rowsPerQuery),
  );
  const ofUrl = prepare(
    days
      .where('url_id', '=', 0)
      .where('day', '>', 0)
      .where('day', '>=', placeholderTime)
      .where('day', '<=', placeholderTime)
      .orderBy('day')
      .limit(rowsPerQuery),
  );
  return {
    ofUrls: (urlIds: readonly number[], { since, until }: Window) =>
      ofUrls(...padded(urlIds), since, until - dayMs, rowsPerQuery),
    ofUrl: (urlId: number, after: number, { since, until }: Window) =>
      ofUrl(urlId, after, since, until - dayMs, rowsPerQuery),
  };
}

/** Reads the pruned days of a QR code's scans that are entirely in a window. */
export function readScanDays(db: Kysely<Schema>, qrId: string, { since, until }: Window) {
  return readRows((after) =>
    db
      .selectFrom('scan_days')
      .select(['day as position', 'summary'])
      .where('qr_id', '=', qrId)
      .where('day', '>', after)
      .where('day', '>=', since)
      .where('day', '<=', until - dayMs)
      .orderBy('day')
      .limit(rowsPerQuery)
      .execute(),
  );
}

/** Reads the rows of at most `urlsPerQuery` URLs, whose ids are in ascending order. */
export async function* readUrlRows<R extends Row & { readonly url_id: number }>(
  db: Kysely<Schema>,
  { ofUrls, ofUrl }: UrlRows<R>,
  urlIds: readonly number[],
  window: Window,
): AsyncGenerator<R> {
  const rowsOf = (urlId: number, after?: number) =>
    readRows(async (last) => (await db.executeQuery(ofUrl(urlId, last, window))).rows, after);
  let remaining = urlIds;
  while (remaining.length > 1) {
    const { rows } = await db.executeQuery(ofUrls(remaining, window));
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerQuery) return;
    yield* rowsOf(last.url_id, last.position);
    remaining = remaining.filter((id) => id > last.url_id);
  }
  for (const urlId of remaining) yield* rowsOf(urlId);
}

/** Reads the rows after a position, in slices. */
async function* readRows<R extends Row>(
  select: (after: number) => Promise<R[]>,
  after = beforeFirst,
): AsyncGenerator<R> {
  for (let last = after; ; ) {
    const rows = await select(last);
    yield* rows;
    if (rows.length < rowsPerQuery) return;
    last = (rows.at(-1) as R).position;
  }
}

/** Repeats the last id, because a prepared query has a fixed number of parameters. */
function padded(urlIds: readonly number[]): number[] {
  return Array.from(
    { length: urlsPerQuery },
    (_, at) => urlIds[Math.min(at, urlIds.length - 1)] as number,
  );
}
