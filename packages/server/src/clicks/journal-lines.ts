import { fromLine, type Visit } from './visit.js';

const download = 'download\t';

/** The download of a code as one line of the journal. */
export function toDownloadLine(qrId: string): string {
  return `${download}${qrId}\n`;
}

export interface Journalled {
  readonly visits: readonly Visit[];
  /** How many, by the ids of the codes. */
  readonly downloads: ReadonlyMap<string, number>;
}

/** What the lines of a journal tell of. */
export function readLines(lines: readonly string[]): Journalled {
  const visits: Visit[] = [];
  const downloads = new Map<string, number>();
  for (const line of lines) {
    if (line.startsWith(download)) {
      const qrId = line.slice(download.length);
      downloads.set(qrId, (downloads.get(qrId) ?? 0) + 1);
    } else visits.push(fromLine(line));
  }
  return { visits, downloads };
}
