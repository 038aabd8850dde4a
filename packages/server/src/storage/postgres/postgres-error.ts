import pg from 'pg';
import { StorageUnavailableError } from '../database.js';

// SQLSTATE: connections, resources, operators, the system, waits that were too long, a server that
// only reads because it stands by; and who is not let in, or finds no database, which operators mend.
const temporary = /^(08|53|57|58|55P03|25006|28|3D000)/;
// Two transactions waited for each other, or saw what the other changed: again, and it will do.
const collision = /^(40001|40P01)$/;
// Of the system, and of certificates.
const network = /^[A-Z][A-Z_]+$/;

/** Whether to run the same transaction once more, at once. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && collision.test(error.code ?? '');
}

/** Whether the server has ended a statement that took too long. */
export function isStatementTimeout(error: unknown): boolean {
  const cause = error instanceof StorageUnavailableError ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.code === '57014';
}

/** What is said of the server, the network or the wait becomes StorageUnavailableError. */
export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailableError) return error;
  if (error instanceof pg.DatabaseError) {
    return temporary.test(error.code ?? '')
      ? unavailable(`${error.code}: ${error.message}`, error)
      : error;
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && network.test(code))
    return unavailable(`${code}: ${error.message}`, error);
  // The client says these in words alone.
  if (/connection|timeout|not queryable|client was closed|^SASL/i.test(error.message)) {
    return unavailable(error.message, error);
  }
  return error;
}

function unavailable(reason: string, cause: Error): StorageUnavailableError {
  return new StorageUnavailableError(`storage is unavailable (${reason})`, { cause });
}
