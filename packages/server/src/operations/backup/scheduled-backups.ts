import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import type { BackupFigures } from '../../health/server-metrics.js';
import type { Clock } from '../../ports.js';

export interface ScheduledBackupsOptions extends NonNullable<Config['backups']> {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether to create the folder: its path may be misspelt. */
  readonly create?: boolean | undefined;
  /** Creates a backup. If visits cannot be read, it creates the file, and rejects. */
  readonly createBackup: (path: string, signal: AbortSignal) => Promise<unknown>;
}

// Manual backups may be in the folder, too. Only files with these names are ever deleted.
const named = /^shorty-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(\.db|\.damaged\.db)$/;

/**
 * Creates a verified backup at each time of a schedule, and then deletes the oldest ones. A time that
 * passed while the server was stopped is made up for at the start. Throws a ConfigError if the folder cannot
 * be written.
 */
export function openScheduledBackups(options: ScheduledBackupsOptions) {
  const { schedule, clock, logger, folder, keep, create, createBackup } = options;
  try {
    if (create) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error('there is no such folder: correct the path, or create it (start --create)');
    }
    fs.accessSync(folder, fs.constants.W_OK);
  } catch (cause) {
    const problem = `SHORTY_BACKUP_FOLDER is ${JSON.stringify(folder)}: ${(cause as Error).message}`;
    throw new ConfigError(`${problem}; it must be a folder that the server can write`, { cause });
  }
  const list = (suffix: string) => {
    const names = fs.readdirSync(folder).sort().reverse();
    return names.filter((name) => named.exec(name)?.[7] === suffix);
  };
  const remove = (names: readonly string[]) => {
    for (const path of names.map((name) => join(folder, name))) {
      fs.rmSync(path, { force: true });
      fs.rmSync(`${path}.key`, { force: true });
      logger.info({ path }, 'old backup deleted');
    }
  };
  const openedAt = clock();
  const lastSuccessAt = timeOf(list('.db')[0]);
  const runs = schedule.nextRuns(200, new Date(openedAt)).map(Number);
  const intervals = runs.slice(1).map((run, index) => run - (runs[index] as number));
  const intervalMs = Math.max(0, ...intervals);
  let figures: BackupFigures = { intervalMs, lastSuccessAt, failures: 0 };
  // A start does not repeat a backup of damaged visits, because it would be damaged, too. A clock that
  // was wrong may have named a backup with a later time.
  const lastRunAt = Math.max(lastSuccessAt, timeOf(list('.damaged.db')[0])) || openedAt;
  let dueAt = schedule.nextRun(new Date(Math.min(lastRunAt, openedAt)));
  return {
    figures: () => figures,
    /** Creates a backup if one is due. The signal ends it. */
    async runIfDue(signal: AbortSignal): Promise<void> {
      const now = clock();
      if (!dueAt || now < dueAt.getTime()) return;
      dueAt = schedule.nextRun(new Date(now));
      const name = `shorty-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`;
      const path = join(folder, `${name}.db`);
      const damaged = list('.damaged.db');
      try {
        await createBackup(path, signal);
      } catch (err) {
        if (signal.aborted) return;
        figures = { ...figures, failures: figures.failures + 1 };
        if (fs.existsSync(path)) {
          // It has visits that cannot be read, and replaces the one before, but no other backup.
          const renamed = join(folder, `${name}.damaged.db`);
          if (fs.existsSync(`${path}.key`)) fs.renameSync(`${path}.key`, `${renamed}.key`);
          fs.renameSync(path, renamed);
          remove(damaged);
        }
        logger.error({ err, path }, 'backup failed');
        return;
      }
      const made = { bytes: fs.statSync(path).size, durationMs: clock() - now };
      figures = { ...figures, lastSuccessAt: clock() };
      logger.info({ path, ...made }, 'backup created');
      const others = list('.db').filter((each) => each !== `${name}.db`);
      remove([...damaged, ...others.slice(keep - 1)]);
    },
  };
}

function timeOf(name: string | undefined): number {
  return name === undefined ? 0 : Date.parse(name.replace(named, '$1-$2-$3T$4:$5:$6Z'));
}
