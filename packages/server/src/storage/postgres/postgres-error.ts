import { StorageUnavailableError, UniqueViolationError } from '../database.js';
import { pg } from './pg.js';

// SQLSTATE classes and codes of conditions that pass: connection, resources, operator intervention,
// system error, lock timeout, read-only standby. An operator repairs the others: failed
// authentication, a missing database, missing rights.
const temporary = /^(08|53|57|58|55P03|25006|28|3D000|42501|3F000)/;
// Serialization failure and deadlock.
const retryable = /^(40001|40P01)$/;
const notUnique = '23505';
// Codes of network and certificate errors, such as ECONNREFUSED.
const network = /^[A-Z][A-Z_]+$/;

/** Returns true if the same transaction can be retried at once. */
export function isRetryable(error: unknown): boolean {
  return error instanceof pg().DatabaseError && retryable.test(error.code ?? '');
}

/** Returns true if the server cancelled a statement that exceeded its time limit. */
export function isStatementTimeout(error: unknown): boolean {
  const cause = error instanceof StorageUnavailableError ? error.cause : error;
  return cause instanceof pg().DatabaseError && cause.code === '57014';
}

/**
 * Converts errors of the server, the network and timeouts to StorageUnavailableError, and those about
 * unique keys to UniqueViolationError. Returns any other error unchanged.
 */
export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailableError) return error;
  if (error instanceof pg().DatabaseError) {
    const { code = '', message } = error;
    if (temporary.test(code)) return unavailable(`${code}: ${message}`, error);
    return code === notUnique ? new UniqueViolationError(message, { cause: error }) : error;
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && network.test(code))
    return unavailable(`${code}: ${error.message}`, error);
  // The client reports these without a code.
  if (/connection|timeout|not queryable|client was closed|^SASL/i.test(error.message)) {
    return unavailable(error.message, error);
  }
  return error;
}

function unavailable(reason: string, cause: Error): StorageUnavailableError {
  return new StorageUnavailableError(`storage is unavailable (${reason})`, { cause });
}
