import { formatCsvLine, guardFormula } from '@shorty/import';
import type { Report } from '@shorty/report';

const columns = ['section', 'name', 'detail', 'clicks', 'uniques'] as const;

/**
 * Formats a report as CSV. Counts other than clicks (links, addresses, scans) are in `detail`, so
 * that the columns `clicks` and `uniques` contain one kind of number each.
 */
export function reportCsv({
  filters = {},
  totals,
  totalClicks,
  uniqueClicks,
  sections,
  series,
}: Report): string {
  const otherTotals = totals.filter(
    ({ name }) => name !== 'totalClicks' && name !== 'uniqueClicks',
  );
  const rows = [
    ...Object.entries(filters).map(([name, values]) => [
      ...['filter', name, [values].flat().join('|'), '', ''],
    ]),
    ['total', 'clicks', '', totalClicks, uniqueClicks],
    ...otherTotals.map(({ name, count }) => ['total', name, count, '', '']),
    ...sections.flatMap((section) =>
      section.rows.map(({ name, detail, clicks }) => [section.name, name, detail, clicks, '']),
    ),
    ...series.map(({ bucket, clicks, uniques, isPartial }) => [
      ...['series', bucket, isPartial ? 'partial' : ''],
      ...[clicks, uniques],
    ]),
  ];
  const lines = [columns, ...rows].map((cells) =>
    formatCsvLine(cells.map((cell) => guardFormula(String(cell)))),
  );
  return `${lines.join('\n')}\n`;
}
