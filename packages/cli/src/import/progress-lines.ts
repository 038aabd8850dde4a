import { formatCount, formatDuration, formatNumber, printable } from '../format.js';
import type { TextStyle } from '../text-style.js';
import { cutText, displayWidth } from '../text-width.js';
import { type ImportProgress, rowsPerSecond, timeLeftMs } from './import-progress.js';

const widestBar = 30;
const narrowestBar = 8;

interface Part {
  readonly text: string;
  readonly style: keyof TextStyle | undefined;
  /** Parts with the highest number are left out first. */
  readonly order: number;
}

/**
 * Renders the progress of an import: a bar, the share, the rows and their rate, failures and the
 * remaining time. A narrow terminal shows fewer of them.
 */
export function progressLines(
  progress: ImportProgress,
  {
    now,
    width,
    style,
  }: { readonly now: number; readonly width: number; readonly style: TextStyle },
): string[] {
  const { bytesRead, bytesTotal, rows, failed, retrying } = progress;
  const share = bytesTotal === 0 ? 0 : Math.min(1, bytesRead / bytesTotal);
  const left = timeLeftMs(progress, now);
  const rate = `${formatNumber(rowsPerSecond(progress, now))}/s`;
  const parts: Part[] = [
    { text: `${Math.floor(share * 100)}%`, style: undefined, order: 0 },
    { text: formatCount(rows, 'row'), style: undefined, order: 1 },
    { text: rate, style: 'faint', order: 4 },
  ];
  if (failed > 0) {
    parts.push({ text: `${formatNumber(failed)} failed`, style: 'red', order: 2 });
  }
  if (left !== undefined) {
    parts.push({ text: `${formatDuration(left)} left`, style: 'faint', order: 3 });
  }
  const shown = fitParts(parts, width);
  const barWidth = Math.min(widestBar, width - widthOf(shown) - 1);
  const numbers = shown.map(({ text, style: name }) => (name ? style[name](text) : text));
  const line =
    (barWidth < narrowestBar ? '' : `${bar(share, barWidth, style)} `) + numbers.join('  ');
  if (!retrying) return [line];
  const waited = formatDuration(now - retrying.since);
  const reason = printable(retrying.reason);
  const notice = `no response from the server, retrying for ${waited} (${reason})`;
  return [line, style.yellow(cutText(notice, width))];
}

function bar(share: number, width: number, style: TextStyle): string {
  const filled = Math.round(share * width);
  return style.green('━'.repeat(filled)) + style.faint('─'.repeat(width - filled));
}

function fitParts(parts: readonly Part[], width: number): readonly Part[] {
  let shown = parts;
  while (shown.length > 1 && widthOf(shown) > width) {
    const last = Math.max(...shown.map(({ order }) => order));
    shown = shown.filter(({ order }) => order !== last);
  }
  return shown;
}

function widthOf(parts: readonly Part[]): number {
  return displayWidth(parts.map(({ text }) => text).join('  '));
}
