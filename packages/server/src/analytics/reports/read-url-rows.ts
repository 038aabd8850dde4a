import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { readInBatches } from '../../storage/read-in-batches.js';
import { dayMs } from './durations.js';
import type { Window } from './report-window.js';

interface UrlRow {
  readonly url_id: number;
  /** The number of a chunk, or a pruned day. */
  readonly position: number;
}

/** Rows of a table that has rows of URLs. */
interface UrlRows<R extends UrlRow> {
  /** Selects the rows in a window. */
  select(window: Window): RawBuilder<R>;
  readonly position: 'number' | 'day';
}

// With the largest chunks, a query returns 64 MB.
const rowsPerQuery = 128;
/** The number of URLs whose rows are selected by one query. */
const urlsPerQuery = 256;
const beforeFirst = -1;

/** The chunks that may have visits in a window. */
export const chunkRows: UrlRows<UrlRow & Pick<Schema['visit_chunks'], 'visits'>> = {
  select: ({ since, until }) => sql`select url_id, number as position, visits from visit_chunks
    where last_at >= ${since} and first_at < ${until}`,
  position: 'number',
};

/** The pruned days of clicks that a window contains, entirely or in part. */
export const clickDayRows: UrlRows<
  UrlRow & Pick<Selectable<Schema['click_days']>, 'scans' | 'summary'>
> = {
  select: ({ since, until }) => sql`select url_id, day as position, scans, summary from click_days
    where day > ${since - dayMs} and day < ${until}`,
  position: 'day',
};

/** URLs whose rows are read together. All have consecutive ids, or they are at most `urlsPerQuery`. */
export interface UrlPage {
  /** In ascending order. */
  readonly urlIds: readonly number[];
  readonly isRange: boolean;
}

// The QR codes of this many URLs are in memory at once.
const urlsPerRange = 4_096;

/**
 * Divides URLs, whose ids are in ascending order, into pages. Long runs of consecutive ids become
 * ranges, which read no row of another organization and take half the time of lists.
 */
export function* pagesOf(urlIds: Float64Array): Generator<UrlPage> {
  let others: number[] = [];
  for (let start = 0, end = 0; start < urlIds.length; start = end) {
    const first = urlIds[start] as number;
    while (end < urlIds.length && urlIds[end] === first + end - start) end += 1;
    if (end - start >= urlsPerQuery) {
      for (let from = start; from < end; from += urlsPerRange) {
        const to = Math.min(end, from + urlsPerRange);
        yield { urlIds: Array.from(urlIds.subarray(from, to)), isRange: true };
      }
      continue;
    }
    for (let at = start; at < end; at += 1) {
      others.push(urlIds[at] as number);
      if (others.length < urlsPerQuery) continue;
      yield { urlIds: others, isRange: false };
      others = [];
    }
  }
  if (others.length > 0) yield { urlIds: others, isRange: false };
}

/** Selects the rows of URLs with consecutive ids after a row, in ascending order of URL and position. */
export function selectOfRange<R extends UrlRow>(
  { select, position }: UrlRows<R>,
  after: { readonly urlId: number; readonly position: number },
  lastUrlId: number,
  window: Window,
): RawBuilder<R> {
  return sql`${select(window)} and (url_id, ${sql.ref(position)}) > (${after.urlId}, ${after.position})
    and url_id <= ${lastUrlId} order by url_id, ${sql.ref(position)} limit ${rowsPerQuery}`;
}

/** Reads the rows of the URLs of a page. */
export async function* readPageRows<R extends UrlRow>(
  db: Kysely<Schema>,
  table: UrlRows<R>,
  { urlIds, isRange }: UrlPage,
  window: Window,
): AsyncGenerator<R> {
  if (!isRange) {
    yield* readUrlRows(db, table, urlIds, window);
    return;
  }
  const lastUrlId = urlIds.at(-1) ?? 0;
  let after = { urlId: urlIds[0] ?? 0, position: beforeFirst };
  for (;;) {
    const { rows } = await selectOfRange(table, after, lastUrlId, window).execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerQuery) return;
    after = { urlId: last.url_id, position: last.position };
  }
}

/** Selects the first rows of at most `urlsPerQuery` URLs, in ascending order of URL and position. */
export function selectOfUrls<R extends UrlRow>(
  { select, position }: UrlRows<R>,
  urlIds: readonly number[],
  window: Window,
): RawBuilder<R> {
  // Repeats the last id, so that the statement is the same for any number of URLs.
  const ids = Array.from({ length: urlsPerQuery }, (_, at) => urlIds[at] ?? urlIds.at(-1));
  return sql`${select(window)} and url_id in (${sql.join(ids)})
    order by url_id, ${sql.ref(position)} limit ${rowsPerQuery}`;
}

/** Selects the rows of one URL after a position, in ascending order. */
export function selectOfUrl<R extends UrlRow>(
  { select, position }: UrlRows<R>,
  urlId: number,
  after: number,
  window: Window,
): RawBuilder<R> {
  return sql`${select(window)} and url_id = ${urlId} and ${sql.ref(position)} > ${after}
    order by ${sql.ref(position)} limit ${rowsPerQuery}`;
}

/** Reads the pruned days of a QR code's scans that a window contains, entirely or in part. */
export async function* readScanDays(
  db: Kysely<Schema>,
  qrId: string,
  { since, until }: Window,
): AsyncGenerator<{ readonly position: number; readonly summary: string }> {
  const days = sql`from scan_days as own
    where own.qr_id = ${qrId} and own.day > ${since - dayMs} and own.day < ${until}`;
  for await (const rows of readInBatches(db, days, ['day'])) {
    for (const { day, summary } of rows) yield { position: Number(day), summary: String(summary) };
  }
}

/** Reads the rows of at most `urlsPerQuery` URLs, whose ids are in ascending order. */
export async function* readUrlRows<R extends UrlRow>(
  db: Kysely<Schema>,
  table: UrlRows<R>,
  urlIds: readonly number[],
  window: Window,
): AsyncGenerator<R> {
  async function* rowsOf(urlId: number, after: number): AsyncGenerator<R> {
    for (let last = after; ; ) {
      const { rows } = await selectOfUrl(table, urlId, last, window).execute(db);
      yield* rows;
      if (rows.length < rowsPerQuery) return;
      last = (rows.at(-1) as R).position;
    }
  }
  let remaining = urlIds;
  while (remaining.length > 1) {
    const { rows } = await selectOfUrls(table, remaining, window).execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerQuery) return;
    yield* rowsOf(last.url_id, last.position);
    remaining = remaining.filter((id) => id > last.url_id);
  }
  for (const urlId of remaining) yield* rowsOf(urlId, beforeFirst);
}
