import type { AnalyticsOverview, ClickBucket, UrlClicks } from '@shorty/sdk';
import type { Context } from '../context.js';
import { groupIntoPages } from '../group-into-pages.js';
import type { Column } from '../output.js';
import type { Report } from './report-model.js';
import { reportText } from './report-text.js';
import { reportWidth } from './report-width.js';

const columns: readonly Column<ClickBucket>[] = [
  { name: 'bucket', value: ({ bucket }) => bucket },
  { name: 'clicks', value: ({ clicks }) => clicks },
  { name: 'uniques', value: ({ uniques }) => uniques },
];

/** Prints clicks in the requested format. ndjson and csv contain only the series. */
export async function showClicks(
  { io, output }: Context,
  data: UrlClicks | AnalyticsOverview,
  report: Report,
): Promise<void> {
  if (output.format === 'json') return output.record(data);
  if (output.format !== 'table') return output.list(groupIntoPages(data.timeseries, 100), columns);
  const width = reportWidth(io.stdout);
  return output.write(reportText(report, { width, hasColor: output.hasColor }));
}
