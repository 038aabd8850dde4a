import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { dayMs, type Window } from './report-window.js';

interface Row {
  /** The number of a chunk, or a pruned day. */
  readonly position: number;
}

interface Query<R> {
  execute(): Promise<R[]>;
}

/** Rows of URLs in ascending order of URL and position. A query selects the first `rowsPerQuery`. */
export interface UrlRows<R extends Row> {
  readonly ofUrls: (urlIds: readonly number[]) => Query<R>;
  /** Selects the rows of one URL after a position. */
  readonly ofUrl: (urlId: number, after: number) => Query<R>;
}

// With the largest chunks, a query returns 80 MB.
const rowsPerQuery = 128;
const beforeFirst = -1;

/** The chunks that may have visits in a window. */
export function chunkRows(db: Kysely<Schema>, { since, until }: Window) {
  const chunks = db
    .selectFrom('visit_chunks')
    .select(['url_id', 'number as position', 'visits'])
    .where('last_at', '>=', since)
    .where('first_at', '<', until)
    .limit(rowsPerQuery);
  return {
    ofUrls: (urlIds: readonly number[]) =>
      chunks.where('url_id', 'in', urlIds).orderBy('url_id').orderBy('number'),
    ofUrl: (urlId: number, after: number) =>
      chunks.where('url_id', '=', urlId).where('number', '>', after).orderBy('number'),
  };
}

/** The pruned days of clicks that are entirely in a window. */
export function clickDayRows(db: Kysely<Schema>, { since, until }: Window) {
  const days = db
    .selectFrom('click_days')
    .select(['url_id', 'day as position', 'scans', 'summary'])
    .where('day', '>=', since)
    .where('day', '<=', until - dayMs)
    .limit(rowsPerQuery);
  return {
    ofUrls: (urlIds: readonly number[]) =>
      days.where('url_id', 'in', urlIds).orderBy('url_id').orderBy('day'),
    ofUrl: (urlId: number, after: number) =>
      days.where('url_id', '=', urlId).where('day', '>', after).orderBy('day'),
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
      .limit(rowsPerQuery),
  );
}

/** Reads the rows of some hundred URLs, whose ids are in ascending order. */
export async function* readUrlRows<R extends Row & { readonly url_id: number }>(
  { ofUrls, ofUrl }: UrlRows<R>,
  urlIds: readonly number[],
): AsyncGenerator<R> {
  let left = urlIds;
  while (left.length > 1) {
    const rows = await ofUrls(left).execute();
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerQuery) return;
    yield* readRows((after) => ofUrl(last.url_id, after), last.position);
    left = left.filter((id) => id > last.url_id);
  }
  for (const urlId of left) yield* readRows((after) => ofUrl(urlId, after));
}

/** Reads the rows after a position, in slices. */
async function* readRows<R extends Row>(
  select: (after: number) => Query<R>,
  after = beforeFirst,
): AsyncGenerator<R> {
  for (let last = after; ; ) {
    const rows = await select(last).execute();
    yield* rows;
    if (rows.length < rowsPerQuery) return;
    last = (rows.at(-1) as R).position;
  }
}
