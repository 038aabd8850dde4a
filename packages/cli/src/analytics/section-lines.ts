import { formatNumber } from '../format.js';
import { cutText, displayWidth, fitText } from '../text-width.js';
import { barText } from './bar-text.js';
import { formatShare, type Section } from './report-model.js';

export interface SectionLine {
  readonly label: string;
  readonly count: string;
  readonly share: string;
  readonly bar: string;
}

const widestLabel = 32;
const narrowestBar = 6;
const gaps = 5;

/** Returns the rows of a section as aligned cells within `width` columns. */
export function sectionLines(
  { rows }: Pick<Section, 'rows'>,
  totalClicks: number,
  width: number,
): SectionLine[] {
  const max = Math.max(0, ...rows.map(({ clicks }) => clicks));
  const counts = rows.map(({ clicks }) => formatNumber(clicks));
  const shares = rows.map(({ clicks }) => formatShare(clicks, totalClicks));
  const countWidth = Math.max(0, ...counts.map((count) => count.length));
  const shareWidth = Math.max(0, ...shares.map((share) => share.length));
  const left = width - countWidth - shareWidth - gaps;
  const labelWidth = Math.min(
    widestLabel,
    left - narrowestBar,
    Math.max(0, ...rows.map(({ label }) => displayWidth(cutText(label, widestLabel)))),
  );
  return rows.map(({ label, clicks }, index) => ({
    label: fitText(label, labelWidth),
    count: (counts[index] ?? '').padStart(countWidth),
    share: (shares[index] ?? '').padStart(shareWidth),
    bar: barText(clicks, max, left - labelWidth),
  }));
}
