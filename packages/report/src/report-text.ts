import { formatInstant, formatNumber, printable } from './format.js';
import {
  describeWindow,
  formatChange,
  formatShare,
  labelOf,
  nothingCounted,
  type Report,
  type Section,
} from './report-model.js';
import { cutText, displayWidth, fitText } from './text-width.js';
import { barText, timeChart } from './time-chart.js';

const chartHeight = 8;

/** Functions that add a color or another attribute to a text. */
function textStyle(hasColor: boolean) {
  const apply = (start: number, end: number) => (text: string) =>
    hasColor && text !== '' ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return { strong: apply(1, 22), faint: apply(2, 22), cyan: apply(36, 39) };
}

type TextStyle = ReturnType<typeof textStyle>;

/** Renders a report as text, in lines of at most `width` columns. */
export function reportText(
  report: Report,
  { width, hasColor }: { readonly width: number; readonly hasColor: boolean },
): string {
  const style = textStyle(hasColor);
  const { before, notes = [] } = report;
  const times = before && [before.since, before.until].map(formatInstant).join(' to ');
  const lines = [
    style.strong(printable(report.title)),
    style.faint(describeWindow(report)),
    ...(times ? [style.faint(`change from ${times} in parentheses`)] : []),
    ...notes.map(style.faint),
    '',
    ...totalLines(report, width),
    '',
  ];
  const chart = timeChart(report, { width, height: chartHeight }, style);
  if (chart) {
    const sections = report.sections.map((section) => sectionLines(section, report, width, style));
    lines.push(...chart, ...sections.flatMap((section) => ['', ...section]));
  } else lines.push(nothingCounted(report));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const widestName = 32;
// A row with a title has this part of the width for its name.
const nameShare = 0.6;
const narrowestBar = 6;
const widestBar = 50;
// Before the name, between the cells and before the bar.
const gaps = 7;

/** Returns the title of a section, and its rows as aligned cells within `width` columns. */
function sectionLines({ title, rows }: Section, report: Report, width: number, style: TextStyle) {
  const head = style.strong(title);
  if (rows.length === 0) return [head, style.faint(`  ${nothingCounted(report)}`)];
  const widest = (texts: readonly string[]) => Math.max(...texts.map(displayWidth));
  const max = Math.max(...rows.map(({ clicks }) => clicks));
  const counts = rows.map(({ clicks }) => formatNumber(clicks));
  const shares = rows.map(({ clicks }) => formatShare(clicks, report.totalClicks));
  const names = rows.map((row) =>
    row.title
      ? cutText(`${row.label}  ${row.title}`, Math.floor(width * nameShare))
      : cutText(row.label, widestName),
  );
  const left = width - widest(counts) - widest(shares) - gaps;
  const nameWidth = Math.max(1, Math.min(widest(names), left - narrowestBar));
  return [
    head,
    ...rows.map(({ clicks }, index) => {
      const name = fitText(names[index] ?? '', nameWidth);
      const count = (counts[index] ?? '').padStart(widest(counts));
      const share = (shares[index] ?? '').padStart(widest(shares));
      const bar = barText(clicks, max, Math.min(widestBar, Math.max(0, left - nameWidth)));
      return `  ${name}  ${count}  ${style.faint(share)} ${style.cyan(bar)}`;
    }),
  ];
}

/** Wraps the totals at the line width. */
function totalLines({ totals }: Report, width: number): string[] {
  const lines: string[] = [];
  for (const total of totals) {
    const change = formatChange(total);
    const shown = `${formatNumber(total.count)} ${labelOf(total)}`;
    const text = `${shown}${change === '' ? '' : ` (${change})`}`;
    const last = lines.at(-1);
    if (last === undefined || last.length + 3 + text.length > width) lines.push(text);
    else lines[lines.length - 1] = `${last}   ${text}`;
  }
  return lines;
}
