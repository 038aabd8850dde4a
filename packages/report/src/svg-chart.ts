import { type Bar, describeBar } from './bars.js';
import { formatCount, formatNumber } from './format.js';
import { html, type Markup } from './markup.js';
import type { GroupBy } from './report-model.js';

const plotHeight = 200;
const topSpace = 10;
const labelSpace = 26;
const height = topSpace + plotHeight + labelSpace;
const maxLabels = 6;

/**
 * Renders vertical bars. Horizontal positions are percentages, so that the chart scales to any width
 * without scaling its text. The scale is a separate SVG.
 */
export function svgChart(bars: readonly Bar[], groupBy: GroupBy): Markup {
  const ticks = countTicks(Math.max(0, ...bars.map(({ clicks }) => clicks)));
  const top = ticks.at(-1) ?? 1;
  const ground = topSpace + plotHeight;
  const y = (count: number) => round(ground - (plotHeight * count) / top);
  const scaleWidth = 12 + 8 * Math.max(...ticks.map((tick) => formatNumber(tick).length));
  const total = bars.reduce((sum, { clicks }) => sum + clicks, 0);
  const step = 100 / bars.length;
  const share = bars.length > 100 ? 1 : 0.8;
  const rect = (value: number, name: string, index: number) => {
    // A count above 0 is at least one pixel high.
    const tall = value === 0 ? 0 : Math.max(1, ground - y(value));
    const left = (index + (1 - share) / 2) * step;
    return html`<rect class="${name}" x="${round(left)}%" y="${round(ground - tall)}" width="${round(step * share)}%" height="${round(tall)}"/>`;
  };
  const group = (bar: Bar, index: number) => {
    const { clicks, uniques } = bar;
    const visitors = uniques === undefined ? '' : `, ${formatCount(uniques, 'unique visitor')}`;
    return html`<g><title>${describeBar(bar, groupBy)}: ${formatCount(clicks, 'click')}${visitors}</title><rect class="hit" x="${round(index * step)}%" y="${topSpace}" width="${round(step)}%" height="${plotHeight}"/>${rect(clicks, 'clicks', index)}${uniques === undefined ? undefined : rect(uniques, 'uniques', index)}</g>
`;
  };
  // The style sheet hides every second label on narrow screens.
  const timeLabel = ({ since }: Bar, index: number, order: number) => {
    const x = index === 0 ? 0 : round((index + 0.5) * step);
    const text = shortTime(since, groupBy, bars.length);
    return html`<text class="${order % 2 === 1 ? 'extra' : 'time'}" x="${x}%" y="${height - 6}" text-anchor="${index === 0 ? 'start' : 'middle'}">${text}</text>`;
  };
  const labelStep = Math.max(1, Math.ceil(bars.length / maxLabels));
  return html`<div class="chart">
<svg class="scale" width="${scaleWidth}" height="${height}" aria-hidden="true">${ticks.map(
    (tick) =>
      html`<text x="${scaleWidth - 8}" y="${y(tick) + 4}" text-anchor="end">${formatNumber(tick)}</text>`,
  )}</svg>
<svg class="plot" width="100%" height="${height}" role="img" aria-label="${formatCount(total, 'click')} over time">${ticks.map(
    (tick) => html`<line x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`,
  )}
${bars.map(group)}
${bars.map((bar, index) =>
  index % labelStep === 0 ? timeLabel(bar, index, index / labelStep) : undefined,
)}</svg>
</div>`;
}

const monthNames = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `1 Nov`, or within two days of hours `14:00`. */
function shortTime(instant: string, groupBy: GroupBy, bars: number): string {
  if (groupBy === 'hour' && bars <= 48) return instant.slice(11, 16);
  return `${Number(instant.slice(8, 10))} ${monthNames[Number(instant.slice(5, 7)) - 1]}`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Returns the ticks of an axis of counts: round numbers from 0 to at least `max`. */
function countTicks(max: number): number[] {
  const step = roundStep(max / 4);
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < max) ticks.push(ticks.length * step);
  // A chart without counts also needs a scale.
  return ticks.length > 1 ? ticks : [0, 1];
}

/** The smallest of 1, 2, 5, 10, 20, 50, … that is not below `least`. */
function roundStep(least: number): number {
  if (least <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(least));
  return magnitude * ([1, 2, 5].find((factor) => factor * magnitude >= least) ?? 10);
}
