import { setTimeout } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { decodeUnlessDamaged } from '../../analytics/ingest/columns-codec.js';
import { isOfRuns } from '../../analytics/ingest/export-runs.js';
import { slicesOf } from '../../analytics/ingest/slices-of.js';
import { allIndexes } from '../../analytics/ingest/visit-columns.js';
import { VisitCompactor } from '../../analytics/ingest/visit-compactor.js';
import { findScannedUrls } from '../../analytics/reports/find-scanned-urls.js';
import { pagesOf } from '../../analytics/reports/read-url-rows.js';
import { ConfigError } from '../../config-error.js';
import type { Clock } from '../../ports.js';
import type { Database, Schema } from '../../storage/database.js';
import {
  beginRun,
  type ChunkKey,
  completeFile,
  decideFile,
  type ExportState,
  findExport,
  finishRun,
} from './export-state.js';
import type { FileStore } from './file-store.js';
import { createVisitFile, extensions, type Format } from './visit-files.js';
import type { LinkVisits } from './visit-table.js';

export interface ExportVisitsOptions {
  readonly database: Database;
  readonly store: FileStore;
  readonly format: Format;
  /** Whether the files have the keys of visitors and addresses. */
  readonly hasKeys: boolean;
  /** A file has as many, and the rest of a chunk. */
  readonly visitsPerFile: number;
  readonly clock: Clock;
}

export interface ExportedRun {
  readonly run: number;
  readonly files: number;
  readonly visits: number;
  /** The number of chunks that cannot be read. */
  readonly damaged: number;
}

// With the largest chunks, a query returns 32 MB.
const chunksPerQuery = 64;
const urlsPerQuery = 256;
const urlsPerPage = 10_000;
// Files are written from memory.
const maxFileBytes = 64 * 1024 * 1024;
const compactionPollMs = 200;
const maxCompactionMs = 10 * 60_000;

/**
 * Exports the visits that are stored when the call begins, and were not exported to this destination
 * before. Each visit is in exactly one file, also if the process is killed and the export is run again: a
 * file is decided before it is written, and it is written again under the same name.
 *
 * Returns the runs: two if an earlier one was interrupted.
 */
export async function exportVisits(options: ExportVisitsOptions): Promise<ExportedRun[]> {
  const { database, store, format, hasKeys, clock } = options;
  const { destination } = store;
  const settings = JSON.stringify({ format, hasKeys });
  const last = await findExport(database.read, destination);
  if (last && last.options !== settings) {
    const { format, hasKeys }: typeof options = JSON.parse(last.options);
    throw new ConfigError(
      `the files in ${destination} are ${format} ${hasKeys ? 'with' : 'without'} keys: use the same options, or export to another place, which gets all visits again`,
    );
  }
  const runs: ExportedRun[] = [];
  if (last && last.exported_run !== last.closed_run) runs.push(await exportRun(options, last));
  const begun = await beginRun(database, destination, settings, clock());
  runs.push(await exportRun(options, begun));
  return runs;
}

/** Exports the visits of one run from the stored position on. */
async function exportRun(options: ExportVisitsOptions, begun: ExportState): Promise<ExportedRun> {
  const { database, store, format, hasKeys, visitsPerFile } = options;
  await compactUpTo(options, begun.closed_batch);
  const folder = `exported_on=${new Date(begun.closed_at).toISOString().slice(0, 10)}`;
  const nameOf = (file: number) =>
    `${folder}/${pad(begun.closed_run, 8)}-${pad(file, 5)}.${extensions[format]}`;
  const chunks = readChunks(database, begun);
  let state = begun;
  let damaged = 0;
  let next = await chunks.next();
  // The end of a file that was decided before the process was killed.
  let end: ChunkKey | undefined = decidedEnd(state);
  while (!next.done || end) {
    const file = createVisitFile(format, hasKeys);
    let last: ChunkKey | undefined = end;
    while (!next.done && (end === undefined || !isAfter(next.value, end))) {
      const { visits } = next.value;
      if (visits === undefined) damaged += 1;
      else if (visits.indexes.length > 0) await file.add(visits);
      if (end === undefined) last = next.value;
      next = await chunks.next();
      const isFull = file.visits >= visitsPerFile || file.bytes >= maxFileBytes;
      if (end === undefined && isFull) break;
    }
    if (end === undefined && last) {
      if (file.visits === 0) break;
      state = await decideFile(database, state, last);
    }
    await store.put(nameOf(state.files), await file.finish());
    state = await completeFile(database, state, file.visits);
    end = undefined;
  }
  const { closed_run: run, files, visits } = state;
  const closedAt = new Date(begun.closed_at).toISOString();
  const names = Array.from({ length: files }, (_, file) => nameOf(file));
  const manifest = { run, storedUntil: closedAt, visits, files: names };
  await store.put(`runs/${pad(run, 8)}.json`, Buffer.from(`${JSON.stringify(manifest)}\n`));
  await finishRun(database, state);
  return { run, files, visits, damaged };
}

/** Waits until all visits in batches up to one are in chunks. Compacts them if no server does. */
async function compactUpTo({ database, clock }: ExportVisitsOptions, batch: number): Promise<void> {
  // The clock of the node that stored a batch may be ahead.
  const compactor = new VisitCompactor({ database, clock, maxAgeMs: Number.NEGATIVE_INFINITY });
  const deadline = performance.now() + maxCompactionMs;
  for (;;) {
    const { rows } = await sql`
      select 1 from visit_batches where id <= ${batch} limit 1`.execute(database.read);
    if (rows.length === 0) return;
    if (performance.now() > deadline) {
      throw new ConfigError(
        'visits were not compacted for ten minutes: start the server, or see its log for errors of "compaction" and of webhooks, and run the export again',
      );
    }
    await compactor.compact();
    await setTimeout(compactionPollMs);
  }
}

interface ExportedChunk extends ChunkKey {
  /** The visits of the run; undefined if the chunk is damaged. */
  readonly visits: LinkVisits | undefined;
}

type ChunkRow = ChunkKey & Pick<Schema['visit_chunks'], 'visits'>;

/** Reads the chunks that may have visits of the run, after the stored position, in ascending order. */
async function* readChunks(
  { read, snapshot }: Database,
  state: ExportState,
): AsyncGenerator<ExportedChunk> {
  if (state.exported_run < 0) {
    yield* readWhere(read, state, state, sql`true`);
    return;
  }
  const urlIds = await snapshot((db) => listUrls(db, state));
  for (const part of slicesOf(urlIds, urlsPerQuery)) {
    const isWanted = sql<boolean>`export_run > ${state.exported_run} and url_id in (${sql.join(part)})`;
    yield* readWhere(read, state, state, isWanted);
  }
}

/** Lists the URLs that have visits of later runs than the exported ones, in ascending order. */
async function listUrls(db: Kysely<Schema>, state: ExportState): Promise<readonly number[]> {
  const urlIds = new Set<number>();
  let after = { run: state.exported_run, urlId: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const { rows } = await sql<typeof after>`
      select export_run as run, url_id as "urlId" from visit_chunks
      where export_run > 0 and (export_run, url_id) > (${after.run}, ${after.urlId})
      order by export_run, url_id limit ${urlsPerPage}`.execute(db);
    for (const { urlId } of rows) if (urlId >= state.url_id) urlIds.add(urlId);
    const last = rows.at(-1);
    if (!last || rows.length < urlsPerPage) break;
    after = last;
  }
  return [...urlIds].sort((a, b) => a - b);
}

async function* readWhere(
  db: Kysely<Schema>,
  { exported_run, closed_run }: ExportState,
  start: ChunkKey,
  isWanted: ReturnType<typeof sql<boolean>>,
): AsyncGenerator<ExportedChunk> {
  for (let after = start; ; ) {
    const { rows } = await sql<ChunkRow>`
      select url_id, number, visits from visit_chunks
      where (url_id, number) > (${after.url_id}, ${after.number}) and ${isWanted}
      order by url_id, number limit ${chunksPerQuery}`.execute(db);
    const urlIds = [...new Set(rows.map(({ url_id }) => url_id))];
    const links = await findLinks(db, urlIds);
    const scannedUrls = await findScannedUrls(db, pagesOf(Float64Array.from(urlIds)));
    for (const { url_id, number, visits } of rows) {
      const link = links.get(url_id);
      // The organization is deleted, or being deleted.
      if (!link) continue;
      const columns = decodeUnlessDamaged(visits, url_id);
      if (!columns) {
        yield { url_id, number, visits: undefined };
        continue;
      }
      const isOfRun = isOfRuns(columns, exported_run, closed_run);
      // Visits until this instant are erased, or being erased.
      const erasedUntil = link.erased_until ?? 0;
      const indexes = allIndexes(columns).filter(
        (index) => isOfRun(index) && (columns.visitedAt[index] as number) > erasedUntil,
      );
      const scannedUrl = scannedUrls.get(url_id);
      yield { url_id, number, visits: { columns, indexes, link, scannedUrl } };
    }
    const last = rows.at(-1);
    if (!last || rows.length < chunksPerQuery) return;
    after = last;
  }
}

async function findLinks(db: Kysely<Schema>, urlIds: readonly number[]) {
  if (urlIds.length === 0) return new Map<number, never>();
  const rows = await db
    .selectFrom('urls')
    .innerJoin('organizations', 'organizations.id', 'urls.organization_id')
    .leftJoin('url_clicks', 'url_clicks.url_id', 'urls.id')
    .select(['urls.id', 'organization_id', 'short_code', 'custom_slug', 'erased_until'])
    .where('urls.id', 'in', urlIds)
    .where('deletion_started_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function decidedEnd({ next_url_id, next_number }: ExportState): ChunkKey | undefined {
  if (next_url_id === null || next_number === null) return undefined;
  return { url_id: next_url_id, number: next_number };
}

function isAfter(a: ChunkKey, b: ChunkKey): boolean {
  return a.url_id === b.url_id ? a.number > b.number : a.url_id > b.url_id;
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
