import { type RawBuilder, sql } from 'kysely';
import { operatorOwner, type WriteLock, type WriteTransaction } from './database.js';
import { isPostgres } from './statements.js';

// The keys of the advisory lock, which differ from those of other programs.
const allWrites = '344103, 1';

// How long a transaction waits for a lock or a row before it is repeated. In between, its connection is
// free for other organizations, and a transaction that waits for 'exclusive' lets others pass.
const lockMs = 100;
// Transactions of nodes that store visits may take longer.
const rowMs = 500;

/** Returns whether transactions may take a lock together with others: that of an organization. */
export function isShared(lock: WriteLock): lock is { readonly organizationId: string } {
  return typeof lock !== 'string' && lock.organizationId !== operatorOwner;
}

/** Takes the locks of a transaction, and limits how long its statements wait for other locks. */
export async function takeLocks(
  transaction: WriteTransaction,
  locks: readonly WriteLock[],
): Promise<void> {
  const [lock] = locks;
  const limit = sql`set_config('lock_timeout', ${String(lock === 'rows' ? rowMs : lockMs)}, true)`;
  const shared = sql.raw(lock === 'exclusive' ? '' : '_shared');
  const begun = sql`select ${limit}, pg_advisory_xact_lock${shared}(${sql.raw(allWrites)})`;
  // PostgreSQL evaluates the rows last, so the wait for them is limited.
  const rows =
    typeof lock === 'string'
      ? sql``
      : sql`, (select count(*) from (${rowsOf(locks.filter(isShared))}) as locked)`;
  await sql`${begun}${rows}`.execute(transaction);
}

/**
 * Takes the lock of another organization in a transaction. What the transaction reads of it afterwards
 * does not change until its end. SQLite needs no lock.
 */
export async function lockOrganization(transaction: WriteTransaction, id: string): Promise<void> {
  if (isPostgres(transaction)) await rowsOf([{ organizationId: id }]).execute(transaction);
}

/** Locks the rows of organizations in the order of their ids, so that transactions do not deadlock. */
function rowsOf(locks: readonly { readonly organizationId: string }[]): RawBuilder<unknown> {
  // The operator's lock is the row that each of its changes to links updates.
  if (locks.length === 0) return sql`select true from link_policy for no key update`;
  const ids = locks.map(({ organizationId }) => organizationId);
  return sql`select true from organizations where id = any(${ids}) order by id for no key update`;
}
