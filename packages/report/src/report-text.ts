import { formatNumber, printable } from './format.js';
import {
  describeBefore,
  describeWindow,
  formatChange,
  labelOf,
  type Section,
  type TextReport,
} from './report-model.js';
import { sectionLines } from './section-lines.js';
import { type TextStyle, textStyle } from './text-style.js';
import { cutText, displayWidth } from './text-width.js';
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
export function reportText(report: TextReport, { width, hasColor }: TextShape): string {
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

function nothingCounted(counted: TextReport['counted']): string {
  return `no ${counted}s in this window`;
}

/** A line, and its width on the terminal without the styles. */
interface Line {
  readonly text: string;
  readonly width: number;
}

/** Returns the lines of all sections, side by side where the width allows. */
function sectionRows(report: TextReport, width: number, style: TextStyle): string[] {
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

function sectionBlock(
  section: Section,
  { counted, totalClicks }: Pick<TextReport, 'counted' | 'totalClicks'>,
  width: number,
  style: TextStyle,
): Line[] {
  const title = { text: style.strong(section.title), width: displayWidth(section.title) };
  if (section.rows.length === 0) {
    const text = `  ${section.emptyText ?? nothingCounted(counted)}`;
    return [title, { text: style.faint(text), width: text.length }];
  }
  const rows = sectionLines(section, totalClicks, width - 2).map(({ label, count, share, bar }) => {
    const numbers = `  ${label}  ${count}  `;
    const text = `${numbers}${style.faint(share)} ${style.cyan(bar)}`;
    return { text, width: displayWidth(numbers) + share.length + 1 + bar.length };
  });
  return [title, ...rows];
}

/** Wraps the totals at the line width. */
function totalLines({ totals }: TextReport, width: number): string[] {
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
