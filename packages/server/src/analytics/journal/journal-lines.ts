import { UsageTally } from '../../organizations/usage-meters.js';
import { fromLine, type Visit } from './visit.js';

const download = 'download\t';
const call = 'call\t';

/** Formats the download of a QR code as a line. */
export function toDownloadLine(qrId: string): string {
  return `${download}${qrId}\n`;
}

/** Formats an API call as a line. `at` is in milliseconds since 1970. */
export function toCallLine(organizationId: string, at: number): string {
  return `${call}${organizationId}\t${at}\n`;
}

export interface JournalRecords {
  readonly visits: readonly Visit[];
  /** The number of downloads by the id of the QR code. */
  readonly downloads: ReadonlyMap<string, number>;
  /** The API calls of each organization and month. */
  readonly calls: UsageTally;
}

/** Parses lines without their line feeds. */
export function parseLines(lines: readonly string[]): JournalRecords {
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
