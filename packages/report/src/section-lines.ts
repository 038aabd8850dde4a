import { barText } from './bar-text.js';
import { formatNumber } from './format.js';
import { formatShare, type Section } from './report-model.js';
import { cutText, displayWidth, fitText } from './text-width.js';

export interface SectionLine {
  readonly label: string;
  readonly count: string;
  readonly share: string;
  readonly bar: string;
}

const widestName = 32;
// A row with titles has this part of the width for its label.
const labelShare = 0.6;
const narrowestLabel = 8;
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
  const labels = labelsOf(rows);
  const hasTitles = rows.some(({ title }) => title);
  const widest = hasTitles ? Math.max(widestName, Math.floor(width * labelShare)) : widestName;
  const left = Math.max(1, width - countWidth - shareWidth - gaps);
  const hasBar = left >= narrowestLabel + narrowestBar;
  const labelWidth = Math.min(
    widest,
    hasBar ? left - narrowestBar : left,
    Math.max(0, ...labels.map((label) => displayWidth(cutText(label, widest)))),
  );
  return rows.map(({ clicks }, index) => ({
    label: fitText(labels[index] ?? '', labelWidth),
    count: (counts[index] ?? '').padStart(countWidth),
    share: (shares[index] ?? '').padStart(shareWidth),
    bar: hasBar ? barText(clicks, max, left - labelWidth) : '',
  }));
}

/** Returns the names, with the titles of links in a column of their own. */
function labelsOf(rows: Section['rows']): string[] {
  const names = rows.map(({ label }) => cutText(label, widestName));
  const width = Math.max(0, ...names.map(displayWidth));
  return rows.map(({ label, title }) => (title ? `${fitText(label, width)}  ${title}` : label));
}
