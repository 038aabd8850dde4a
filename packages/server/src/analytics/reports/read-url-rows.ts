import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';

interface Row {
  /** The number of a chunk, or a pruned day. */
  readonly position: number;
}

/** The queries of the rows of one or several URLs, in ascending order of URL and position. */
export interface UrlRows<R extends Row> {
  /** Takes `urlsPerQuery` ids of URLs and the window. Selects the first rows. */
  readonly ofUrls: (...parameters: number[]) => CompiledQuery<R & { readonly url_id: number }>;
  /** Takes the id of a URL, a position and the window. Selects the first rows after the position. */
  readonly ofUrl: (...parameters: number[]) => CompiledQuery<R & { readonly url_id: number }>;
}

// With the largest chunks, a query returns 80 MB.
const rowsPerQuery = 128;
/** The maximum number of URLs in one query. */
export const urlsPerQuery = 256;

const firstRows = sql.lit(rowsPerQuery);
const beforeFirst = -1;
const anyUrls = new Array<number>(urlsPerQuery).fill(0);

/** Prepares the queries of chunks that may have visits in a window, which has an exclusive end. */
export function prepareChunks(db: Kysely<Schema>) {
  const chunks = db
    .selectFrom('visit_chunks')
    .select(['url_id', 'number as position', 'visits'])
    .limit(firstRows);
  return {
    ofUrls: prepare(
      chunks
        .where('url_id', 'in', anyUrls)
        .where('last_at', '>=', 0)
        .where('first_at', '<', 0)
        .orderBy('url_id')
        .orderBy('number'),
    ),
    ofUrl: prepare(
      chunks
        .where('url_id', '=', 0)
        .where('number', '>', 0)
        .where('last_at', '>=', 0)
        .where('first_at', '<', 0)
        .orderBy('number'),
    ),
  };
}

/** Prepares the queries of the pruned days of clicks in a window, which has an inclusive end. */
export function prepareClickDays(db: Kysely<Schema>) {
  const days = db
    .selectFrom('click_days')
    .select(['url_id', 'day as position', 'scans', 'summary'])
    .limit(firstRows);
  return {
    ofUrls: prepare(
      days
        .where('url_id', 'in', anyUrls)
        .where('day', '>=', 0)
        .where('day', '<=', 0)
        .orderBy('url_id')
        .orderBy('day'),
    ),
    ofUrl: prepare(
      days
        .where('url_id', '=', 0)
        .where('day', '>', 0)
        .where('day', '>=', 0)
        .where('day', '<=', 0)
        .orderBy('day'),
    ),
  };
}

/** Prepares the query of the pruned days of a QR code's scans. */
export function prepareScanDays(db: Kysely<Schema>) {
  return prepare(
    db
      .selectFrom('scan_days')
      .select(['day as position', 'summary'])
      .where('qr_id', '=', '')
      .where('day', '>', 0)
      .where('day', '>=', 0)
      .where('day', '<=', 0)
      .orderBy('day')
      .limit(firstRows),
  );
}

/** Reads the rows of at most `urlsPerQuery` URLs, whose ids are in ascending order. */
export async function* readUrlRows<R extends Row>(
  db: Kysely<Schema>,
  { ofUrls, ofUrl }: UrlRows<R>,
  urlIds: readonly number[],
  window: readonly [number, number],
): AsyncGenerator<R & { readonly url_id: number }> {
  let left = urlIds;
  while (left.length > 1) {
    const { rows } = await db.executeQuery(ofUrls(...toUrlParameters(left), ...window));
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerQuery) return;
    yield* readRows(db, (after) => ofUrl(last.url_id, after, ...window), last.position);
    left = left.filter((id) => id > last.url_id);
  }
  for (const urlId of left) yield* readRows(db, (after) => ofUrl(urlId, after, ...window));
}

/** Reads the rows after a position, in slices. */
export async function* readRows<R extends Row>(
  db: Kysely<Schema>,
  select: (after: number) => CompiledQuery<R>,
  after = beforeFirst,
): AsyncGenerator<R> {
  for (let last = after; ; ) {
    const { rows } = await db.executeQuery(select(last));
    yield* rows;
    if (rows.length < rowsPerQuery) return;
    last = (rows.at(-1) as R).position;
  }
}

/** Repeats the last id, so that all queries have the same text. */
export function toUrlParameters(urlIds: readonly number[]): number[] {
  const last = urlIds.at(-1) as number;
  return [...urlIds, ...new Array<number>(urlsPerQuery - urlIds.length).fill(last)];
}
