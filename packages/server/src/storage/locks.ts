import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import {
  type Database,
  operatorOwner,
  type Schema,
  type WriteLock,
  type WriteTransaction,
} from './database.js';

// The first key of Shorty's advisory locks, so that they differ from other programs' locks.
const lockNamespace = 0x5_40_27;
const allKey = 1;
const compactedVisitsKey = 2;

// How long a transaction waits for a lock or a row before it is repeated. In between, its connection is
// free for other organizations, and a transaction that waits for 'exclusive' lets others pass.
const lockMs = 100;
// Transactions of nodes that store visits may take longer.
const rowMs = 500;

/** Takes the lock of a transaction, and limits how long its statements wait for other locks. */
export async function takeLock(transaction: WriteTransaction, lock: WriteLock): Promise<void> {
  const limit = sql`set_config('lock_timeout', ${String(lock === 'rows' ? rowMs : lockMs)}, true)`;
  const shared = sql.raw(lock === 'exclusive' ? '' : '_shared');
  const begun = sql`select ${limit}, pg_advisory_xact_lock${shared}(${advisory(allKey)})`;
  // PostgreSQL evaluates the row last, so the wait for it is limited.
  const row =
    typeof lock === 'string' ? sql`` : sql`, (select true from ${rowOf(lock.organizationId)})`;
  await sql`${begun}${row}`.execute(transaction);
}

/**
 * Takes the lock of another organization in a transaction. What the transaction reads of it afterwards
 * does not change until its end. SQLite needs no lock.
 */
export async function lockOrganization(transaction: WriteTransaction, id: string): Promise<void> {
  if (isPostgres(transaction)) await sql`select from ${rowOf(id)}`.execute(transaction);
}

/** Runs work on compacted visits in a transaction that excludes others of this kind, on all nodes. */
export function writeCompactedVisits<T>(
  { writeDirectly }: Pick<Database, 'writeDirectly'>,
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T> {
  return writeDirectly(async (transaction) => {
    if (isPostgres(transaction)) {
      await sql`select pg_advisory_xact_lock(${advisory(compactedVisitsKey)})`.execute(transaction);
    }
    return work(transaction);
  }, 'rows');
}

/** The operator's lock is the row that each of its changes to links updates. */
function rowOf(organizationId: string): RawBuilder<unknown> {
  return organizationId === operatorOwner
    ? sql`link_policy for no key update of link_policy`
    : sql`organizations where id = ${organizationId} for no key update of organizations`;
}

function advisory(key: number): RawBuilder<unknown> {
  return sql`${sql.lit(lockNamespace)}, ${sql.lit(key)}`;
}

export function isPostgres(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
