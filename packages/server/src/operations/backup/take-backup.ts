import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { VisitIngester } from '../../analytics/ingest/visit-ingester.js';
import { VisitRepository } from '../../analytics/ingest/visit-repository.js';
import { ConfigError } from '../../config-error.js';
import { EventOutbox } from '../../events/event-outbox.js';
import type { Clock, NewId } from '../../ports.js';
import type { Database } from '../../storage/database.js';
import { openStorage } from '../../storage/open-storage.js';
import { copySqlite, findFaults } from '../../storage/sqlite/copy-sqlite.js';
import { type CopiedJournal, copyJournals } from './copy-journals.js';
import { placeFile, refuseToOverwrite } from './place-file.js';

export interface BackupOptions {
  readonly databasePath: string;
  /** Where the backup shall be; the key goes beside it. */
  readonly to: string;
  /** Click counts that are told of as events, in ascending order. */
  readonly thresholds: readonly number[];
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface BackupReport {
  readonly bytes: number;
  /** Lines of journals that the database did not have yet, and the backup has. */
  readonly journalled: number;
  /** False where the key is not kept beside the database. */
  readonly hasKey: boolean;
}

const maxAttempts = 5;

/** What is kept beside a database; a backup has the key, and what the journals hold is in it. */
export const besideDatabase = {
  key: (path: string) => `${path}.key`,
  journals: (path: string) => `${path}.visits`,
  log: (path: string) => `${path}-wal`,
};

/**
 * Copies a database in use into one file, with every click that was answered before. Journals are
 * copied first and the database second, so that a click is in one of them at least; the position
 * that the database has of each journal says which are in both.
 */
export async function takeBackup(options: BackupOptions): Promise<BackupReport> {
  const { databasePath, to } = options;
  if (!existsSync(databasePath)) throw new ConfigError(`there is no database at ${databasePath}`);
  refuseToOverwrite([to, besideDatabase.key(to), besideDatabase.log(to)]);
  const scratch = mkdtempSync(`${to}.partial-`);
  try {
    const copy = join(scratch, 'shorty.db');
    const journalled = await copyAll(options, scratch, copy);
    const faults = findFaults(copy);
    if (faults.length > 0) throw new ConfigError(`the copy is not sound: ${faults.join('; ')}`);
    chmodSync(copy, 0o600);
    const { size: bytes } = statSync(copy);
    const key = besideDatabase.key(databasePath);
    const hasKey = existsSync(key);
    if (hasKey) {
      const keyCopy = join(scratch, 'key');
      copyFileSync(key, keyCopy);
      placeFile(keyCopy, besideDatabase.key(to));
    }
    placeFile(copy, to);
    return { bytes, journalled, hasKey };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Copies journals and database, and moves the ones into the other; how many lines. */
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
      throw new ConfigError('servers stop and start all the while; try again when they run');
    }
  }
}

async function refuseOtherVersion(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return;
  throw new ConfigError(
    `the database is of an earlier version (${pending.join(', ')} not applied): back it up with that version, or run shorty-server migrate first`,
  );
}

/** Undefined when it cannot be told what of a journal the database has. */
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
    // A writer that ends removes its folder before its position: without either, all its visits may
    // be in the database or none.
    const isKnown = await visits.hasPosition(writerId);
    if (!isKnown && !existsSync(join(live, writerId))) return undefined;
    const ingester = new VisitIngester({ visits, root: folder, writerId, folder, clock });
    moved += await ingester.runOnce();
  }
  return moved;
}
