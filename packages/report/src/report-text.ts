import { barText } from './bar-text.js';
import { formatNumber, printable } from './format.js';
import {
  describeBefore,
  describeWindow,
  formatChange,
  formatShare,
  labelOf,
  type Report,
  type Section,
} from './report-model.js';
import { type TextStyle, textStyle } from './text-style.js';
import { cutText, displayWidth, fitText } from './text-width.js';
import { timeChart } from './time-chart.js';

export interface TextShape {
  /** The maximum line width in columns. */
  readonly width: number;
  readonly hasColor: boolean;
}

const chartHeight = 8;
const gap = 4;
// Sections are side by side when each has at least this many columns.
const narrowestSection = 36;

/** Renders a report as text. */
export function reportText(report: Report, { width, hasColor }: TextShape): string {
  const style = textStyle(hasColor);
  const before = describeBefore(report);
  const notes = [...(before === undefined ? [] : [before]), ...(report.notes ?? [])];
  const head = [
    style.strong(printable(report.title)),
    style.faint(describeWindow(report)),
    ...notes.map(style.faint),
    '',
    ...totalLines(report, width),
  ];
  const chart = timeChart(report, { width, height: chartHeight });
  if (!chart) return joinLines([...head, '', nothingCounted(report.counted)]);
  const series = [
    '',
    ...chart.rows.map(({ scale, bars }) => `${style.faint(scale)}${style.cyan(bars)}`),
    style.faint(cutText(chart.times, width)),
    style.faint(chart.legend),
  ];
  return joinLines([...head, ...series, ...sectionRows(report, width, style)]);
}

function nothingCounted(counted: Report['counted']): string {
  return `no ${counted}s in this window`;
}

/** A line, and its width on the terminal without the styles. */
interface Line {
  readonly text: string;
  readonly width: number;
}

/** Returns the lines of all sections, side by side where the width allows. */
function sectionRows(report: Report, width: number, style: TextStyle): string[] {
  const perRow = Math.max(1, Math.floor((width + gap) / (narrowestSection + gap)));
  const narrow = Math.floor((width - gap * (perRow - 1)) / perRow);
  const lines: string[] = [];
  let row: Line[][] = [];
  const flush = () => {
    if (row.length > 0) lines.push('', ...joinBlocks(row, narrow));
    row = [];
  };
  for (const section of report.sections) {
    if (hasLongNames(section)) {
      flush();
      lines.push('', ...sectionBlock(section, report, width, style).map(({ text }) => text));
      continue;
    }
    row.push(sectionBlock(section, report, narrow, style));
    if (row.length === perRow) flush();
  }
  flush();
  return lines;
}

function hasLongNames({ name }: Section): boolean {
  return name === 'top-url' || name === 'referrer';
}

function joinBlocks(blocks: readonly (readonly Line[])[], width: number): string[] {
  const height = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: height }, (_, index) =>
    blocks
      .map((block, column) => {
        const line = block[index] ?? { text: '', width: 0 };
        const isLast = column === blocks.length - 1;
        return isLast ? line.text : line.text + ' '.repeat(width + gap - line.width);
      })
      .join(''),
  );
}

const widestName = 32;
// A row with titles has this part of the width for its label.
const labelShare = 0.6;
const narrowestLabel = 8;
const narrowestBar = 6;
// Before the label, between the cells and before the bar.
const gaps = 7;

/** Returns the title of a section, and its rows as aligned cells within `width` columns. */
function sectionBlock(
  { title, rows, emptyText }: Section,
  { counted, totalClicks }: Pick<Report, 'counted' | 'totalClicks'>,
  width: number,
  style: TextStyle,
): Line[] {
  const head = { text: style.strong(title), width: displayWidth(title) };
  if (rows.length === 0) {
    const text = `  ${emptyText ?? nothingCounted(counted)}`;
    return [head, { text: style.faint(text), width: text.length }];
  }
  const widest = (texts: readonly string[]) => Math.max(...texts.map(displayWidth));
  const max = Math.max(...rows.map(({ clicks }) => clicks));
  const counts = rows.map(({ clicks }) => formatNumber(clicks));
  const shares = rows.map(({ clicks }) => formatShare(clicks, totalClicks));
  const left = Math.max(1, width - widest(counts) - widest(shares) - gaps);
  const hasBar = left >= narrowestLabel + narrowestBar;
  const hasTitles = rows.some((row) => row.title);
  const limit = hasTitles ? Math.max(widestName, Math.floor(width * labelShare)) : widestName;
  const labels = labelsOf(rows).map((label) => cutText(label, limit));
  const labelWidth = Math.min(widest(labels), hasBar ? left - narrowestBar : left);
  const lines = rows.map(({ clicks }, index): Line => {
    const label = fitText(labels[index] ?? '', labelWidth);
    const count = (counts[index] ?? '').padStart(widest(counts));
    const share = (shares[index] ?? '').padStart(widest(shares));
    const bar = hasBar ? barText(clicks, max, left - labelWidth) : '';
    const text = `  ${label}  ${count}  ${style.faint(share)} ${style.cyan(bar)}`;
    return { text, width: displayWidth(`  ${label}  ${count}  ${share} ${bar}`) };
  });
  return [head, ...lines];
}

/** Returns the names, with the titles of links in a column of their own. */
function labelsOf(rows: Section['rows']): string[] {
  const names = rows.map(({ label }) => cutText(label, widestName));
  const width = Math.max(...names.map(displayWidth));
  return rows.map(({ label, title }) => (title ? `${fitText(label, width)}  ${title}` : label));
}

/** Wraps the totals at the line width. */
function totalLines({ totals }: Report, width: number): string[] {
  const lines: string[] = [];
  for (const total of totals) {
    const change = formatChange(total);
    const shown = total.text ?? `${formatNumber(total.count)} ${labelOf(total)}`;
    const text = `${shown}${change === '' ? '' : ` (${change})`}`;
    const last = lines.at(-1);
    if (last === undefined || last.length + 3 + text.length > width) lines.push(text);
    else lines[lines.length - 1] = `${last}   ${text}`;
  }
  return lines;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
