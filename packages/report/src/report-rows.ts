import type { Report } from './report-model.js';

const columns = ['section', 'name', 'detail', 'clicks', 'uniques'] as const;

/**
 * Returns a report as rows of a table, with its header. Counts other than clicks (links, addresses,
 * scans) are in `detail`, so that the columns `clicks` and `uniques` contain one kind of number each.
 */
export function reportRows(report: Report): readonly (readonly (string | number)[])[] {
  const { filters = {}, totals, sections, series } = report;
  const [clicks, uniques, ...others] = totals;
  return [
    columns,
    ...Object.entries(filters).map(([name, values]) => [
      ...['filter', name, [values].flat().join('|'), '', ''],
    ]),
    ['total', 'clicks', '', clicks?.count ?? 0, uniques?.count ?? 0],
    ...others.map(({ name, count }) => ['total', name, count, '', '']),
    ...sections.flatMap((section) =>
      section.rows.map(({ name, detail, clicks }) => [section.name, name, detail, clicks, '']),
    ),
    ...series.map(({ bucket, clicks, uniques, isPartial }) => [
      ...['series', bucket, isPartial ? 'partial' : ''],
      ...[clicks, uniques],
    ]),
  ];
}
