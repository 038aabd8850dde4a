import { UsageTally } from '../../organizations/usage-meters.js';
import { fromLine, type Visit } from './visit.js';

const download = 'download\t';
const call = 'call\t';

/** The download of a code as one line of the journal. */
export function toDownloadLine(qrId: string): string {
  return `${download}${qrId}\n`;
}

/** A request of the API as one line of the journal; `at` in milliseconds since 1970. */
export function toCallLine(organizationId: string, at: number): string {
  return `${call}${organizationId}\t${at}\n`;
}

export interface Journalled {
  readonly visits: readonly Visit[];
  /** How many, by the ids of the codes. */
  readonly downloads: ReadonlyMap<string, number>;
  /** Requests of the API. */
  readonly calls: UsageTally;
}

/** What the lines of a journal tell of. */
export function readLines(lines: readonly string[]): Journalled {
  const visits: Visit[] = [];
  const downloads = new Map<string, number>();
  const calls = new UsageTally();
  for (const line of lines) {
    if (line.startsWith(download)) {
      const qrId = line.slice(download.length);
      downloads.set(qrId, (downloads.get(qrId) ?? 0) + 1);
    } else if (line.startsWith(call)) {
      const [organizationId = '', at] = line.slice(call.length).split('\t');
      calls.add(organizationId, Number(at));
    } else visits.push(fromLine(line));
  }
  return { visits, downloads, calls };
}
