import { formatNumber } from '../format.js';
import { cutText } from '../text-width.js';
import { describeWindow, type Report, type Section } from './report-model.js';
import { sectionLines } from './section-lines.js';
import { timeChart } from './time-chart.js';

export interface TextShape {
  /** The maximum line width in columns. */
  readonly width: number;
  readonly hasColor: boolean;
}

const chartHeight = 5;

/** The text of an empty section. */
export function nothingCounted(counted: Report['counted']): string {
  return `no ${counted}s in this window`;
}

/** Renders a report as text. */
export function reportText(report: Report, { width, hasColor }: TextShape): string {
  const style = hasColor ? colored : plain;
  const head = [
    style.strong(cutText(report.title, width)),
    style.faint(cutText(describeWindow(report), width)),
    '',
    ...totalLines(report, width),
  ];
  const chart = timeChart(report, { width, height: chartHeight });
  if (!chart) return joinLines([...head, '', nothingCounted(report.counted)]);
  const series = [
    '',
    ...chart.rows.map(({ scale, bars }) => `${style.faint(scale)}${style.bar(bars)}`),
    style.faint(chart.times),
    style.faint(cutText(chart.legend, width)),
  ];
  const sections = report.sections.flatMap((section) =>
    describeSection(section, report, width, style),
  );
  return joinLines([...head, ...series, ...sections]);
}

function describeSection(
  section: Section,
  { counted, totalClicks }: Pick<Report, 'counted' | 'totalClicks'>,
  width: number,
  style: Style,
): string[] {
  const title = ['', style.strong(section.title)];
  if (section.rows.length === 0) return [...title, `  ${style.faint(nothingCounted(counted))}`];
  const lines = sectionLines(section, totalClicks, width - 2);
  return [
    ...title,
    ...lines.map(
      ({ label, count, share, bar }) =>
        `  ${label}  ${count}  ${style.faint(share)} ${style.bar(bar)}`,
    ),
  ];
}

/** Wraps the totals at the line width. */
function totalLines({ totals }: Report, width: number): string[] {
  const lines: string[] = [];
  for (const { label, count } of totals) {
    const text = `${formatNumber(count)} ${label}`;
    const last = lines.at(-1);
    if (last === undefined || last.length + 3 + text.length > width) lines.push(text);
    else lines[lines.length - 1] = `${last}   ${text}`;
  }
  return lines;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

type Style = Readonly<Record<'strong' | 'faint' | 'bar', (text: string) => string>>;

const plain: Style = { strong: (text) => text, faint: (text) => text, bar: (text) => text };
const colored: Style = {
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
  faint: (text) => `\u001b[2m${text}\u001b[22m`,
  bar: (text) => `\u001b[36m${text}\u001b[39m`,
};
