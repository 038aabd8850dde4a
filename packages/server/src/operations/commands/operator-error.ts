import { ConfigError } from '../../config-error.js';
import { StorageUnavailableError } from '../../storage/database.js';

const kinds = [ConfigError, StorageUnavailableError];

/** Returns true for errors of settings, arguments or the machine, which need no stack trace. */
export function isOperatorError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (kinds.some((kind) => error instanceof kind)) return true;
  return 'code' in error && /^(E[A-Z]+|SQLITE_\w+)$/.test(String(error.code));
}
