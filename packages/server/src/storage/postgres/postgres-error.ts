import { createRequire } from 'node:module';
import type * as Pg from 'pg';
import { StorageUnavailableError, UniqueViolationError } from '../database.js';

const require = createRequire(import.meta.url);

/** Returns the driver, and loads it at the first call: a thread that uses SQLite saves 5 MB. */
export const pg = (): typeof Pg => require('pg');

// SQLSTATE classes and codes of conditions that pass: connection, resources, operator intervention,
// system error, lock timeout, read-only standby. An operator repairs the others: failed
// authentication, a missing database, missing rights. 0A000: another node has migrated a table for which this
// connection has prepared a statement; a new connection prepares it again.
const temporary = /^(08|53|57|58|55P03|25006|28|3D000|42501|3F000|0A000)/;
/** The server cancelled a statement that waited too long for a lock. */
export const lockTimeout = '55P03';
// A concurrent change, a deadlock, and a lock.
const repeatable = ['40001', '40P01', lockTimeout];
const notUnique = '23505';

/** Returns whether the same transaction may succeed if it is repeated. */
export function mayRepeat(error: unknown): boolean {
  return repeatable.includes(codeOf(error) ?? '');
}

/** Returns the SQLSTATE of an error of the server. */
export function codeOf(error: unknown): string | undefined {
  const cause = error instanceof StorageUnavailableError ? error.cause : error;
  return cause instanceof pg().DatabaseError ? cause.code : undefined;
}

/**
 * Converts an error of the driver: those of the server that pass, the network and timeouts to
 * StorageUnavailableError, and those about unique keys to UniqueViolationError. Returns any other error
 * unchanged.
 */
export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailableError) return error;
  // The driver reports the loss of a connection and timeouts without a code.
  const isDefect = error instanceof TypeError || error instanceof RangeError;
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof pg().DatabaseError) {
    if (code === notUnique) return new UniqueViolationError(error.message, { cause: error });
    if (!temporary.test(code ?? '')) return error;
  } else if (isDefect) return error;
  const reason = code === undefined ? error.message : `${code}: ${error.message}`;
  return new StorageUnavailableError(`storage is unavailable (${reason})`, { cause: error });
}
