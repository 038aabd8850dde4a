import { type Database, StorageUnavailableError } from '../../storage/database.js';
import { openStorage, type StorageOptions } from '../../storage/open-storage.js';
import { defineThread } from '../../threads/define-thread.js';
import { ReportTooLargeError } from './report-limits.js';
import { ReportReader } from './report-reader.js';

type Args<Name extends keyof ReportReader> = Parameters<ReportReader[Name]>;

export function reportMethods(database: Database) {
  const reader = new ReportReader(database);
  return {
    readClicks: (...args: Args<'readClicks'>) => reader.readClicks(...args),
    readScans: (...args: Args<'readScans'>) => reader.readScans(...args),
    readOverview: (...args: Args<'readOverview'>) => reader.readOverview(...args),
  };
}

/** Reads reports in a separate thread, so redirects do not wait for them. */
export const reportThread = defineThread({
  name: 'reports',
  file: import.meta.url,
  priority: 'idle',
  errorClasses: [ReportTooLargeError, StorageUnavailableError],
  resourceLimits: { maxOldGenerationSizeMb: 512 },
  start(storage: StorageOptions) {
    const database = openStorage(storage);
    return { methods: reportMethods(database), stop: () => database.close() };
  },
});
