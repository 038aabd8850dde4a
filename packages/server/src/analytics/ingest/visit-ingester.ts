import { joinErrors } from '../../lifecycle.js';
import type { Clock } from '../../ports.js';
import { StorageUnavailableError } from '../../storage/database.js';
import type { SetAside } from '../journal/damaged-lines.js';
import { claimOrphans, type JournalFolder } from '../journal/journal-folder.js';
import {
  type DamagedLine,
  findJournalEnd,
  isBefore,
  journalStart,
  parseTexts,
  readJournal,
  removeReadSegments,
} from '../journal/journal-lines.js';
import type { VisitRepository } from './visit-repository.js';

export interface IngestedJournal extends Pick<JournalFolder, 'path' | 'writerId'> {
  /** True when its writer has ended. */
  readonly hasEnded: boolean;
  readonly setAside: SetAside;
  /** Ends after the transaction in progress when it aborts. */
  readonly signal?: AbortSignal;
}

/**
 * Moves the lines that a journal has when the call begins into storage, exactly once, even when the
 * process is killed. Returns their number. Calls `onStored` with the number of lines of each
 * transaction, because a later transaction may fail.
 */
export async function ingestJournal(
  visits: VisitRepository,
  { path, writerId, hasEnded, setAside, signal }: IngestedJournal,
  clock: Clock,
  onStored: (lines: number) => void = () => {},
): Promise<number> {
  let position = (await visits.findPosition(writerId)) ?? journalStart;
  let storedLines = 0;
  // Later lines belong to the next call. Under constant traffic, each transaction takes long enough
  // for more lines, so this loop would not end.
  const end = findJournalEnd(path);
  while (isBefore(position, end) && !signal?.aborted) {
    const chunk = readJournal(path, position, hasEnded);
    if (!chunk) break;
    const records = parseTexts(chunk.texts);
    const damaged = [...chunk.damaged, ...records.unknown.map(toDamaged('unknown format'))];
    let stored = chunk.texts.length - records.unknown.length;
    const isStored = await visits.store(
      writerId,
      position,
      chunk.position,
      records,
      clock(),
      (unknownLinks) => {
        const texts = unknownLinks.map((visit) => JSON.stringify(visit));
        const lines = [...damaged, ...texts.map(toDamaged('unknown link'))];
        if (lines.length > 0) setAside(writerId, position, lines);
        stored = chunk.texts.length - records.unknown.length - texts.length;
      },
    );
    if (!isStored) throw new Error(`journal ${writerId}: another process is also storing it`);
    storedLines += stored;
    onStored(stored);
    position = chunk.position;
  }
  removeReadSegments(path, position);
  return storedLines;
}

function toDamaged(reason: DamagedLine['reason']) {
  return (text: string): DamagedLine => ({ reason, bytes: Buffer.from(text) });
}

/** Removes the journal of a process that has ended, which must be in storage. */
export async function removeJournal(
  visits: VisitRepository,
  writerId: string,
  folder: Pick<JournalFolder, 'remove'> | undefined,
): Promise<void> {
  // The position is deleted last: without it, a remaining folder would be stored again.
  folder?.remove();
  await visits.deletePosition(writerId);
}

/**
 * Stores and removes the journals of processes that ended early. Returns the number of lines. Ends early
 * when the signal aborts; a later call continues.
 */
export async function recoverOrphans(
  visits: VisitRepository,
  root: string,
  clock: Clock,
  setAside: SetAside,
  signal?: AbortSignal,
): Promise<number> {
  let storedLines = 0;
  const errors: unknown[] = [];
  const folders = claimOrphans(root);
  try {
    for (const folder of folders) {
      try {
        const { path, writerId } = folder;
        storedLines += await ingestJournal(
          visits,
          { path, writerId, hasEnded: true, setAside, ...(signal && { signal }) },
          clock,
        );
        if (signal?.aborted) return storedLines;
        await removeJournal(visits, writerId, folder);
      } catch (error) {
        if (error instanceof StorageUnavailableError) throw error;
        // A journal that cannot be read must not block the others.
        errors.push(error);
      }
    }
  } finally {
    // After an error, the next call claims the remaining folders again.
    for (const folder of folders) folder.release();
  }
  if (errors.length > 0) throw joinErrors('some journals could not be stored', errors);
  return storedLines;
}
