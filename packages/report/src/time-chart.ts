import { type Bar, describeBar, describeBucket, findPeak, toBars } from './bars.js';
import { formatNumber } from './format.js';
import type { Report } from './report-model.js';
import { cutText } from './text-width.js';

const widestBar = 4;
const partialMark = '*';

/**
 * Renders the series of a report as lines: bars with their scale, the first and the last time, and the
 * maximum. Undefined without clicks.
 */
export function timeChart(
  { series, groupBy }: Report,
  { width, height }: { readonly width: number; readonly height: number },
  { faint, cyan }: Readonly<Record<'faint' | 'cyan', (text: string) => string>>,
): string[] | undefined {
  const scaleWidth = Math.max(
    ...toBars(series, groupBy, width).map(({ clicks }) => formatNumber(clicks).length),
  );
  const plotWidth = Math.max(1, width - scaleWidth - 2);
  const bars = toBars(series, groupBy, plotWidth);
  const peak = findPeak(bars);
  if (!peak) return undefined;
  const step = Math.max(1, Math.min(widestBar, Math.floor((plotWidth + 1) / bars.length)));
  const gap = step > 1 ? 1 : 0;
  const lines = columnChart(
    bars.map(({ clicks }) => clicks),
    { height, barWidth: step - gap, gap },
  );
  const rows = lines.map((line, index) => {
    const scale = index === 0 ? formatNumber(peak.clicks) : index === height - 1 ? '0' : '';
    return `${faint(`${scale.padStart(scaleWidth)} ${scale === '' ? '│' : '┤'}`)}${cyan(line)}`;
  });
  const times = timesUnder(bars, bars.length * step - gap, groupBy);
  return [
    ...rows,
    faint(cutText(' '.repeat(scaleWidth + 2) + times, width)),
    faint(describePeak(peak, bars, groupBy)),
  ];
}

function timesUnder(bars: readonly Bar[], width: number, groupBy: Report['groupBy']): string {
  const label = (bar: Bar | undefined) =>
    bar ? describeBucket(bar.since, groupBy) + (bar.isPartial ? partialMark : '') : '';
  const first = label(bars[0]);
  const last = label(bars.at(-1));
  const space = width - first.length - last.length;
  return space < 2 ? first : `${first}${' '.repeat(space)}${last}`;
}

function describePeak(peak: Bar, bars: readonly Bar[], groupBy: Report['groupBy']): string {
  const most = `most: ${formatNumber(peak.clicks)}`;
  const when = describeBar(peak, groupBy);
  const notes =
    peak.buckets === 1
      ? [`${most} ${groupBy === 'day' ? 'on' : 'at'} ${when}`]
      : [`${most} in ${when}`, `one bar is ${peak.buckets} ${groupBy}s`];
  if (bars.at(0)?.isPartial || bars.at(-1)?.isPartial) {
    notes.push(`${partialMark} only a part of the ${groupBy}`);
  }
  return notes.join('; ');
}

const eighthsAcross = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const;
const eighthsUp = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Renders a horizontal bar of up to `width` columns. A count above 0 is always visible. */
export function barText(value: number, max: number, width: number): string {
  const eighths = toEighths(value, max, width);
  return '█'.repeat(Math.floor(eighths / 8)) + (eighthsAcross[eighths % 8] ?? '');
}

/**
 * Renders vertical bars as `height` lines from top to bottom. Each bar is `barWidth` columns wide, with `gap`
 * columns between bars.
 */
export function columnChart(
  values: readonly number[],
  { height, barWidth = 1, gap = 0 }: { height: number; barWidth?: number; gap?: number },
): string[] {
  const max = Math.max(0, ...values);
  const bars = values.map((value) => toEighths(value, max, height));
  return Array.from({ length: height }, (_, index) => {
    const below = (height - 1 - index) * 8;
    return bars
      .map((eighths) => {
        const inRow = Math.max(0, Math.min(8, eighths - below));
        return (eighthsUp[inRow] ?? ' ').repeat(barWidth);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  });
}

function toEighths(value: number, max: number, length: number): number {
  if (value <= 0 || max <= 0) return 0;
  return Math.max(1, Math.round((Math.min(value, max) / max) * length * 8));
}
