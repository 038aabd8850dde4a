import type { Clock } from '../../ports.js';
import { StorageUnavailableError } from '../../storage/database.js';
import { claimOrphans, type JournalFolder } from '../journal/journal-folder.js';
import { parseLines } from '../journal/journal-lines.js';
import {
  findJournalEnd,
  isBefore,
  journalStart,
  readJournal,
  removeReadSegments,
} from '../journal/journal-reader.js';
import type { VisitRepository } from './visit-repository.js';

/**
 * Moves the lines that a journal has when the call begins into storage, exactly once, even when the
 * process is killed. Returns their number. Calls `onStored` with the number of lines of each
 * transaction, because a later transaction may fail.
 */
export async function ingestJournal(
  visits: VisitRepository,
  { path, writerId }: Pick<JournalFolder, 'path' | 'writerId'>,
  clock: Clock,
  onStored: (lines: number) => void = () => {},
): Promise<number> {
  let position = (await visits.findPosition(writerId)) ?? journalStart;
  let storedLines = 0;
  // Later lines belong to the next call. Under constant traffic, each transaction takes long enough
  // for more lines, so this loop would not end.
  const end = findJournalEnd(path);
  while (isBefore(position, end)) {
    const chunk = readJournal(path, position);
    if (!chunk) break;
    const records = parseLines(chunk.lines);
    const isStored = await visits.store(writerId, position, chunk.position, records, clock());
    if (!isStored) throw new Error(`journal ${writerId}: another process is also storing it`);
    storedLines += chunk.lines.length;
    onStored(chunk.lines.length);
    position = chunk.position;
  }
  removeReadSegments(path, position);
  return storedLines;
}

/** Stores and removes the journals of processes that ended early. Returns the number of lines. */
export async function recoverOrphans(
  visits: VisitRepository,
  root: string,
  clock: Clock,
): Promise<number> {
  let storedLines = 0;
  const errors: unknown[] = [];
  const folders = claimOrphans(root);
  try {
    for (const folder of folders) {
      try {
        storedLines += await ingestJournal(visits, folder, clock);
        // The position is deleted last: without it, a remaining folder would be stored again.
        folder.remove();
        await visits.deletePosition(folder.writerId);
      } catch (error) {
        if (error instanceof StorageUnavailableError) throw error;
        // A damaged journal must not block the others.
        errors.push(error);
      }
    }
  } finally {
    // After an error, the next call claims the remaining folders again.
    for (const folder of folders) folder.release();
  }
  if (errors.length > 0) throw new AggregateError(errors, 'some journals could not be stored');
  return storedLines;
}
