import type { Clock } from '../../ports.js';
import { scanFrames } from '../journal/journal-frames.js';
import { journalStart } from '../journal/journal-reader.js';
import { nameOf, type QuarantinedLine, readLines, writeLines } from '../journal/quarantine.js';
import { sortLines } from './visit-ingester.js';
import type { VisitRepository } from './visit-repository.js';

const repaired = { segment: 1, offset: 1 };

/**
 * Stores the lines of a file of the quarantine that can be stored now, exactly once, even when the
 * process is killed. The other lines stay. Returns the number of stored lines.
 */
export async function repairQuarantineFile(
  visits: VisitRepository,
  path: string,
  clock: Clock,
): Promise<number> {
  const writerId = `quarantine/${nameOf(path)}`;
  const lines = await finishInterrupted(visits, writerId, path);
  const textsOf = lines.map(toTexts);
  const { rejected } = await sortLines(visits, textsOf.flat());
  const isRejected = new Set(rejected.map(({ bytes }) => bytes));
  const marked = lines.map((line, index) => {
    const texts = textsOf[index] as readonly string[];
    const isStorable = texts.length > 0 && texts.every((text) => !isRejected.has(toBase64(text)));
    return { ...line, isBeingStored: isStorable };
  });
  const storable = textsOf.filter((_, index) => marked[index]?.isBeingStored).flat();
  if (storable.length === 0) return 0;
  // The marks tell the next repair which lines the transaction stored, if this one is killed.
  writeLines(path, marked);
  const { records } = await sortLines(visits, storable);
  const isStored = await visits.store(writerId, journalStart, repaired, records, clock());
  if (!isStored) throw new Error(`${path}: another process is also repairing it`);
  await finishInterrupted(visits, writerId, path);
  return storable.length;
}

/** Removes the lines that an earlier repair has stored. Returns the other lines, without marks. */
async function finishInterrupted(
  visits: VisitRepository,
  writerId: string,
  path: string,
): Promise<QuarantinedLine[]> {
  const isStored = (await visits.findPosition(writerId)) !== undefined;
  const lines = readLines(path);
  const remaining = lines
    .filter(({ isBeingStored }) => !(isStored && isBeingStored))
    .map(({ reason, bytes }) => ({ reason, bytes }));
  if (isStored) {
    writeLines(path, remaining);
    await visits.deletePosition(writerId);
  }
  return remaining;
}

/** Returns the texts of the intact lines. */
function toTexts({ reason, bytes }: QuarantinedLine): readonly string[] {
  const content = Buffer.from(bytes, 'base64');
  if (reason === 'unknown link' || reason === 'unknown format') return [content.toString()];
  // The line feed may be all that a torn line lacks.
  return scanFrames(Buffer.concat([content, Buffer.from('\n')])).texts;
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
