import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { VisitIngester } from '../../analytics/ingest/visit-ingester.js';
import { VisitRepository } from '../../analytics/ingest/visit-repository.js';
import { ConfigError } from '../../config-error.js';
import { EventOutbox } from '../../events/event-outbox.js';
import type { Clock, NewId } from '../../ports.js';
import type { Database } from '../../storage/database.js';
import { openStorage } from '../../storage/open-storage.js';
import { copySqlite, findIntegrityErrors } from '../../storage/sqlite/copy-sqlite.js';
import { type CopiedJournal, copyJournals } from './copy-journals.js';
import { moveIntoPlace, refuseToOverwrite } from './move-into-place.js';

export interface BackupOptions {
  readonly databasePath: string;
  /** The path of the backup. The key is written beside it. */
  readonly to: string;
  /** The click counts that create events, in ascending order. */
  readonly thresholds: readonly number[];
  readonly clock: Clock;
  readonly newId: NewId;
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
    const folder = join(scratch, `visits-${attempt}`);
    rmSync(copy, { force: true });
    const journals = copyJournals(live, folder);
    copySqlite(options.databasePath, copy);
    const database = openStorage({ databaseUrl: `file:${copy}`, durability: 'process' });
    try {
      await refuseOtherVersion(database);
      const moved = await moveVisits(options, database, journals, live);
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

/** Returns undefined if it is unknown which visits of a journal the database has. */
async function moveVisits(
  { clock, newId, thresholds }: BackupOptions,
  database: Database,
  journals: readonly CopiedJournal[],
  live: string,
): Promise<number | undefined> {
  const outbox = new EventOutbox(database, { newId });
  const visits = new VisitRepository(database, { outbox, thresholds });
  let moved = 0;
  for (const { writerId, folder } of journals) {
    // A writer that stops removes its folder before its position. If neither exists, the database
    // copy may have all of its visits or none.
    const isKnown = await visits.hasPosition(writerId);
    if (!isKnown && !existsSync(join(live, writerId))) return undefined;
    const ingester = new VisitIngester({ visits, root: folder, writerId, folder, clock });
    moved += await ingester.ingest();
  }
  return moved;
}
