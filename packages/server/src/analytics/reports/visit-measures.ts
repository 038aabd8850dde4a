import type { QrSpan } from '../ingest/scanned-url.js';
import { selectClicks, selectScans } from '../ingest/select-visits.js';
import { clickDimensions, scanDimensions } from './dimensions.js';
import type { ClickReport, ScanReport } from './report-contract.js';
import type { VisitMeasure } from './visit-tally.js';

/** Counts clicks: the visits of people. */
export const clickMeasure: VisitMeasure<ClickReport> = {
  select: (visits, window) => ({
    indexes: selectClicks(visits, window),
    columns: visits.columns.dictionaries,
  }),
  dimensions: clickDimensions,
  noun: 'Clicks',
};

/** Counts the scans of one QR code. `hasSlug` is true when its URL has a custom slug. */
export function scanMeasure(span: QrSpan, hasSlug: boolean): VisitMeasure<ScanReport> {
  const url = { hasSlug, spans: [span] };
  return {
    select(visits, window) {
      const { indexes, proven, ...decided } = selectScans(visits, window, () => url);
      return { indexes, proven, columns: { ...visits.columns.dictionaries, ...decided } };
    },
    dimensions: scanDimensions,
    noun: 'Scans',
  };
}
