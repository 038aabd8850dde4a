import { decodeColumns } from '../ingest/columns-codec.js';
import type { StoredVisits } from '../ingest/read-stored-visits.js';
import type { ScannedUrl } from '../ingest/scanned-url.js';
import { allIndexes } from '../ingest/visit-columns.js';
import type { ReportClock } from './report-limits.js';
import type { VisitQuery } from './report-window.js';
import { filterVisits } from './visit-filter.js';
import { selectScans } from './visit-measures.js';

/** The scans of an overview. */
export interface ScanCounts {
  total: number;
  proven: number;
}

/** Counts the scans among visits in the window. */
export function countScans(
  { columns, indexes }: StoredVisits,
  query: VisitQuery,
  scannedUrls: ReadonlyMap<number, ScannedUrl>,
  scans: ScanCounts,
): void {
  if (scannedUrls.size === 0) return;
  const selected = filterVisits(columns.dictionaries, indexes, query.conditions);
  const urlAt = (index: number) => scannedUrls.get(columns.urlIds[index] as number);
  const found = selectScans({ columns, indexes: selected }, query, urlAt);
  scans.total += found.indexes.length;
  scans.proven += found.proven.length;
}

/** Yields the visits of rows of chunks. Other reports run between them. */
export async function* readChunks(
  { clock }: { readonly clock: ReportClock },
  rows: AsyncIterable<{ readonly url_id?: number; readonly visits: Uint8Array }>,
): AsyncGenerator<StoredVisits> {
  for await (const { url_id, visits } of rows) {
    const columns = decodeColumns(visits, url_id);
    yield { columns, indexes: allIndexes(columns) };
    await clock.pause();
  }
}
