import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { longestInterval } from '../../cron-schedule.js';
import type { BackupFigures } from '../../health/server-metrics.js';
import type { Clock } from '../../ports.js';
import { runBackupProcess } from './run-backup-process.js';

export interface ScheduledBackupsOptions extends NonNullable<Config['backups']> {
  readonly databasePath: string;
  readonly thresholds: readonly number[];
  readonly clock: Clock;
  readonly logger: Logger;
}

// Manual backups may be in the folder, too. Only files with these names are ever deleted.
const finished = /^shorty-(\d{8}T\d{6}Z)\.db$/;
const damagedBackup = /^shorty-(\d{8}T\d{6}Z)\.damaged\.db$/;
const unfinished = /^shorty-\d{8}T\d{6}Z(\.damaged)?\.db\.partial-\w+$/;

/**
 * Creates a verified backup at each time of a schedule, and then deletes the oldest ones. A time that
 * passed while the server was stopped is made up for at the start.
 */
export class ScheduledBackups {
  readonly #options: ScheduledBackupsOptions;
  readonly #figures: { -readonly [Name in keyof BackupFigures]: BackupFigures[Name] };
  #dueAt: number | undefined;

  /** Throws a ConfigError if the folder cannot be written. */
  constructor(options: ScheduledBackupsOptions) {
    const { folder, schedule, clock } = options;
    this.#options = { ...options, folder: openFolder(folder) };
    const now = clock();
    const latest = this.#list(finished).at(-1);
    const lastSuccessAt = latest === undefined ? 0 : timeOf(latest, finished);
    const lastDamaged = this.#list(damagedBackup).at(-1);
    const lastDamagedAt = lastDamaged === undefined ? 0 : timeOf(lastDamaged, damagedBackup);
    this.#figures = {
      intervalMs: longestInterval(schedule, now),
      lastSuccessAt,
      durationMs: 0,
      bytes: latest === undefined ? 0 : statSync(this.#pathOf(latest)).size,
      failures: 0,
    };
    // A start does not repeat a backup of damaged visits, because it would be damaged, too.
    const lastRunAt = Math.max(lastSuccessAt, lastDamagedAt) || now;
    // A clock that was wrong may have named a backup with a later time.
    this.#dueAt = schedule.next(Math.min(lastRunAt, now));
  }

  get figures(): BackupFigures {
    return this.#figures;
  }

  /** Creates a backup if one is due. The signal ends it. */
  async runIfDue(signal: AbortSignal): Promise<void> {
    const { schedule, clock } = this.#options;
    const now = clock();
    if (this.#dueAt === undefined || now < this.#dueAt) return;
    this.#dueAt = schedule.next(now);
    await this.#run(now, signal);
  }

  async #run(now: number, signal: AbortSignal): Promise<void> {
    const { databasePath, thresholds, clock, logger } = this.#options;
    const name = `shorty-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const [to, toIfDamaged] = [this.#pathOf(`${name}.db`), this.#pathOf(`${name}.damaged.db`)];
    const startedAt = performance.now();
    try {
      this.deleteUnfinished();
      const options = { databasePath, to, toIfDamaged, thresholds };
      const { bytes, damaged } = await runBackupProcess(options, signal);
      const durationMs = Math.round(performance.now() - startedAt);
      Object.assign(this.#figures, { bytes, durationMs });
      if (damaged > 0) {
        this.#deleteAllBut(damagedBackup, `${name}.damaged.db`, 1);
        this.#figures.failures += 1;
        logger.error({ path: toIfDamaged, damaged }, 'backup contains damaged visits');
        return;
      }
      this.#figures.lastSuccessAt = clock();
      logger.info({ path: to, bytes, durationMs }, 'backup created');
      this.#deleteAllBut(damagedBackup, '', 0);
      this.#deleteAllBut(finished, `${name}.db`, this.#options.keep);
    } catch (err) {
      if (signal.aborted) return;
      this.#figures.failures += 1;
      logger.error({ err, path: to }, 'backup failed');
    } finally {
      // The folder may be on a disk that was unmounted.
      if (existsSync(this.#options.folder)) this.deleteUnfinished();
      // The process writes the key first. Other keys without a backup are the operator's.
      for (const path of [to, toIfDamaged]) {
        if (!existsSync(path)) rmSync(`${path}.key`, { force: true });
      }
    }
  }

  /** Deletes all files with a name like `pattern` except the newest `count`, among which is `latest`. */
  #deleteAllBut(pattern: RegExp, latest: string, count: number): void {
    const others = this.#list(pattern).filter((name) => name !== latest);
    for (const name of others.slice(0, Math.max(0, others.length - Math.max(0, count - 1)))) {
      rmSync(this.#pathOf(name), { force: true });
      rmSync(`${this.#pathOf(name)}.key`, { force: true });
      this.#options.logger.info({ path: this.#pathOf(name) }, 'old backup deleted');
    }
  }

  /** Deletes what remains of backups that were killed. Requires the lock of the database. */
  deleteUnfinished(): void {
    for (const name of this.#list(unfinished)) {
      rmSync(this.#pathOf(name), { recursive: true, force: true });
    }
  }

  /** Returns the names like `pattern`, oldest first. */
  #list(pattern: RegExp): string[] {
    return readdirSync(this.#options.folder)
      .filter((name) => pattern.test(name))
      .sort();
  }

  #pathOf(name: string): string {
    return join(this.#options.folder, name);
  }
}

/** Returns the time in a name like `pattern`. */
function timeOf(name: string, pattern: RegExp): number {
  const [, digits = ''] = pattern.exec(name) ?? [];
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(digits) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function openFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new ConfigError(
      `SHORTY_BACKUP_FOLDER is ${JSON.stringify(folder)}: ${(error as Error).message}; it must be a folder that the server can write`,
      { cause: error },
    );
  }
  return resolve(folder);
}
