import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { ingestJournal } from '../../analytics/ingest/visit-ingester.js';
import { VisitRepository } from '../../analytics/ingest/visit-repository.js';
import { segmentPath, segmentsIn } from '../../analytics/journal/journal-folder.js';
import { ConfigError } from '../../config-error.js';
import { EventOutbox } from '../../events/event-outbox.js';
import type { Database } from '../../storage/database.js';
import { openStorage } from '../../storage/open-storage.js';
import { copySqlite, findIntegrityErrors } from '../../storage/sqlite/copy-sqlite.js';
import { moveIntoPlace, refuseToOverwrite } from './move-into-place.js';

export interface BackupOptions {
  readonly databasePath: string;
  /** The path of the backup. The key is written beside it. */
  readonly to: string;
  /** The click counts that create events, in ascending order. */
  readonly thresholds: readonly number[];
}

export interface BackupReport {
  readonly bytes: number;
  /** Journal lines that are in the backup and were not in the database. */
  readonly journalLines: number;
  /** False if there is no key file beside the database. */
  readonly hasKey: boolean;
}

const maxAttempts = 5;

/** The files beside a database. A backup contains the visits of the journals and has a key file. */
export const besideDatabase = {
  key: (path: string) => `${path}.key`,
  journals: (path: string) => `${path}.visits`,
  log: (path: string) => `${path}-wal`,
};

/**
 * Copies a database in use into one file, with every click whose response was sent before. Journals
 * are copied first and the database second, so that each click is in at least one of them. The
 * journal positions in the database show which clicks are in both.
 */
export async function takeBackup(options: BackupOptions): Promise<BackupReport> {
  const { databasePath, to } = options;
  if (!existsSync(databasePath)) throw new ConfigError(`there is no database at ${databasePath}`);
  refuseToOverwrite([to, besideDatabase.key(to), besideDatabase.log(to)]);
  const scratch = mkdtempSync(`${to}.partial-`);
  try {
    const copy = join(scratch, 'shorty.db');
    const journalLines = await copyAll(options, scratch, copy);
    const errors = findIntegrityErrors(copy);
    if (errors.length > 0) throw new ConfigError(`the copy is damaged: ${errors.join('; ')}`);
    chmodSync(copy, 0o600);
    const { size: bytes } = statSync(copy);
    const key = besideDatabase.key(databasePath);
    const hasKey = existsSync(key);
    if (hasKey) {
      const keyCopy = join(scratch, 'key');
      copyFileSync(key, keyCopy);
      moveIntoPlace(keyCopy, besideDatabase.key(to));
    }
    moveIntoPlace(copy, to);
    return { bytes, journalLines, hasKey };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Copies journals and database, moves the journals into the copy, and returns the lines moved. */
async function copyAll(options: BackupOptions, scratch: string, copy: string): Promise<number> {
  const live = besideDatabase.journals(options.databasePath);
  for (let attempt = 1; ; attempt += 1) {
    const journals = join(scratch, `visits-${attempt}`);
    rmSync(copy, { force: true });
    copyJournals(live, journals);
    copySqlite(options.databasePath, copy);
    const database = openStorage({ databaseUrl: `file:${copy}`, durability: 'process' });
    try {
      await refuseOtherVersion(database);
      const moved = await moveVisits(database, options.thresholds, journals, live);
      if (moved !== undefined) return moved;
    } finally {
      await database.close();
    }
    if (attempt === maxAttempts) {
      throw new ConfigError(
        'servers stopped or started during the backup: run it again while none stops or starts',
      );
    }
  }
}

async function refuseOtherVersion(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return;
  throw new ConfigError(
    `the database has an earlier version (${pending.join(', ')} not applied): back it up with that version, or run shorty-server migrate first`,
  );
}

/**
 * Copies the segments of every writer's journal. A segment or a folder that disappears during the copy
 * has been moved into storage completely.
 */
function copyJournals(live: string, to: string): void {
  mkdirSync(to);
  if (!existsSync(live)) return;
  for (const entry of readdirSync(live, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
    const [source, target] = [join(live, entry.name), join(to, entry.name)];
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
  const outbox = new EventOutbox(database, { newId: newUuid });
  const visits = new VisitRepository(database, { outbox, thresholds });
  let moved = 0;
  for (const writerId of readdirSync(journals)) {
    // A writer that stops removes its folder before its position. If neither exists, the database
    // copy may have all of its visits or none.
    const position = await visits.findPosition(writerId);
    if (!position && !existsSync(join(live, writerId))) return undefined;
    const path = join(journals, writerId);
    moved += await ingestJournal(visits, { path, writerId }, Date.now);
  }
  return moved;
}
