import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { ingestJournal } from '../../analytics/ingest/visit-ingester.js';
import { createVisitRepository } from '../../analytics/ingest/visit-repository.js';
import { foldersIn, segmentPath, segmentsIn } from '../../analytics/journal/journal-folder.js';
import { countDamagedVisits } from '../../analytics/reports/visit-doctor.js';
import { ConfigError } from '../../config-error.js';
import { createEventOutbox } from '../../events/event-outbox.js';
import type { Database } from '../../storage/database.js';
import { findFileProblem } from '../../storage/locate-database.js';
import { copySqlite, findIntegrityErrors } from '../../storage/sqlite/copy-sqlite.js';
import { describeFileError } from '../../storage/sqlite/sqlite-file.js';
import { withStorage } from '../commands/open-database.js';
import { moveIntoPlace, requireNewPaths, withScratchFolder } from './move-into-place.js';

interface BackupOptions {
  readonly databasePath: string;
  /** The path of the backup. The key is written beside it. */
  readonly to: string;
  /** The click counts that create events, in ascending order. */
  readonly thresholds: readonly number[];
}

const maxAttempts = 5;
const maxNamedErrors = 5;

/**
 * Copies a database in use into one file, with every click whose response was sent before. Journals
 * are copied first and the database second, so that each click is in at least one of them. The
 * journal positions in the database show which clicks are in both.
 */
export async function takeBackup(options: BackupOptions) {
  const { databasePath, to } = options;
  requireNone(findFileProblem(databasePath), databasePath);
  requireNewPaths([to, `${to}.key`, `${to}-wal`]);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const copied = await withScratchFolder(`${to}.partial-`, (folder) => copyAll(options, folder));
    if (copied) return copied;
  }
  throw new ConfigError(
    'servers stopped or started during the backup: run it again while none stops or starts',
  );
}

/** Returns undefined if it is unknown which visits of a journal the database has. */
async function copyAll({ databasePath, to, thresholds }: BackupOptions, folder: string) {
  const live = `${databasePath}.visits`;
  const journals = join(folder, 'visits');
  const copy = join(folder, 'shorty.db');
  copyJournals(live, journals);
  try {
    copySqlite(databasePath, copy);
  } catch (cause) {
    requireNone(describeFileError(cause), databasePath, cause);
  }
  const storage = { databaseUrl: `file:${copy}`, durability: 'process' } as const;
  /** The number of rows of visits that cannot be read. */
  let damaged = 0;
  const journalLines = await withStorage(storage, async (database) => {
    requireNone(await database.findVersionProblem(), databasePath);
    damaged = await countDamagedVisits(database);
    return moveVisits(database, thresholds, journals, live);
  });
  if (journalLines === undefined) return undefined;
  const { size: bytes } = statSync(copy);
  const hasKey = placeCopy(copy, { from: databasePath, to });
  return { bytes, journalLines, hasKey, damaged };
}

function requireNone(problem: string | undefined, path: string, cause?: unknown): void {
  if (problem === undefined) return;
  throw new ConfigError(`${path} cannot be backed up: ${problem}`, { cause });
}

/**
 * Copies the segments of every writer's journal. A segment or a folder that disappears during the copy
 * has been moved into storage completely.
 */
function copyJournals(live: string, to: string): void {
  mkdirSync(to);
  for (const source of foldersIn(live)) {
    const name = basename(source);
    if (name.startsWith('.')) continue;
    const target = join(to, name);
    mkdirSync(target);
    for (const segment of ignoreMissing(() => segmentsIn(source)) ?? []) {
      ignoreMissing(() => copyFileSync(segmentPath(source, segment), segmentPath(target, segment)));
    }
  }
}

function ignoreMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns undefined if it is unknown which visits of a journal the database has. */
async function moveVisits(
  database: Database,
  thresholds: readonly number[],
  journals: string,
  live: string,
): Promise<number | undefined> {
  const outbox = createEventOutbox(database, { newId: newUuid });
  const visits = createVisitRepository(database, { outbox, thresholds });
  let moved = 0;
  for (const writerId of readdirSync(journals)) {
    // A writer that stops removes its folder before its position. If neither exists, the database
    // copy may have all of its visits or none.
    const position = await visits.findPosition(writerId);
    if (!position && !existsSync(join(live, writerId))) return undefined;
    const path = join(journals, writerId);
    // Damaged lines stay where they are: the server sets them aside.
    const journal = { path, writerId, hasEnded: false, setAside() {} };
    moved += await ingestJournal(visits, journal, Date.now);
  }
  return moved;
}

/**
 * Checks a copy of the database `from`, and moves it to `to` with a copy of the key beside `from`.
 * Returns false if there is no key. Throws a ConfigError if the copy is damaged.
 */
export function placeCopy(
  copy: string,
  { from, to, onVerified }: { from: string; to: string; onVerified?: () => unknown },
): boolean {
  chmodSync(copy, 0o600);
  const errors = findIntegrityErrors(copy);
  if (errors.length > 0) {
    const found = errors.slice(0, maxNamedErrors).join('; ');
    throw new ConfigError(
      `${from} is damaged (${found}): restore an earlier backup (docs/backups.md)`,
    );
  }
  onVerified?.();
  const hasKey = existsSync(`${from}.key`);
  if (hasKey) {
    const key = `${copy}.key`;
    copyFileSync(`${from}.key`, key);
    chmodSync(key, 0o600);
    moveIntoPlace(key, `${to}.key`);
  }
  // The database comes last, so that a server never finds it without its key.
  moveIntoPlace(copy, to);
  return hasKey;
}
