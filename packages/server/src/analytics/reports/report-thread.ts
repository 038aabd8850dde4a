import { type Database, StorageUnavailableError } from '../../storage/database.js';
import { openStorage, type StorageOptions } from '../../storage/open-storage.js';
import { defineThread } from '../../threads/define-thread.js';
import { ClickReader } from './click-reader.js';

type Reader<Name extends keyof ClickReader> = ClickReader[Name];

/** What the thread of the reports can be asked. */
export function reportMethods(database: Database) {
  const reader = new ClickReader(database);
  return {
    readUrl: (...args: Parameters<Reader<'readUrl'>>) => reader.readUrl(...args),
    readScans: (...args: Parameters<Reader<'readScans'>>) => reader.readScans(...args),
    readOrganization: (...args: Parameters<Reader<'readOrganization'>>) =>
      reader.readOrganization(...args),
  };
}

/** Reads reports, so that redirects do not wait for them. */
export const reportThread = defineThread({
  name: 'reports',
  file: import.meta.url,
  priority: 'idle',
  errorClasses: [StorageUnavailableError],
  start(storage: StorageOptions) {
    const database = openStorage(storage);
    return { methods: reportMethods(database), stop: () => database.close() };
  },
});
