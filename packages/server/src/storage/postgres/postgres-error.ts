import { type RetryCause, StorageUnavailableError, UniqueViolationError } from '../database.js';
import { pg } from './pg.js';

// SQLSTATE classes and codes of conditions that pass: connection, resources, operator intervention,
// system error, lock timeout, read-only standby. An operator repairs the others: failed
// authentication, a missing database, missing rights.
const temporary = /^(08|53|57|58|55P03|25006|28|3D000|42501|3F000)/;
const lockTimeout = '55P03';
const retryCauses: Readonly<Record<string, RetryCause>> = {
  '40001': 'serialization',
  '40P01': 'deadlock',
  [lockTimeout]: 'lock',
};
const notUnique = '23505';
// Codes of network and certificate errors, such as ECONNREFUSED.
const network = /^[A-Z][A-Z_]+$/;

/** Returns why the same transaction may succeed if it is repeated; undefined if it would fail again. */
export function findRetryCause(error: unknown): RetryCause | undefined {
  return retryCauses[codeOf(error) ?? ''];
}

/** Returns true if the server cancelled a statement that exceeded its time limit. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/** Returns true if the server cancelled a statement that waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === lockTimeout;
}

/** Returns the SQLSTATE of an error of the server. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof StorageUnavailableError ? error.cause : error;
  return cause instanceof pg().DatabaseError ? cause.code : undefined;
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
