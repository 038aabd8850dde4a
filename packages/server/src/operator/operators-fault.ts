import { ConfigError } from '../config.js';
import { StorageUnavailableError } from '../storage/database.js';

/** Faults of the operator's or the machine's, for which a stack trace is noise. */
export function isOperatorsFault(error: unknown): error is Error {
  if (error instanceof ConfigError || error instanceof StorageUnavailableError) return true;
  return (
    error instanceof Error && 'code' in error && /^(E[A-Z]+|SQLITE_\w+)$/.test(String(error.code))
  );
}
