import type { Clock } from '../ports.js';
import type { Schema, WriteTransaction } from '../storage/database.js';
import { handleAtCommit } from '../storage/group-commit.js';
import { bulkInsert } from '../storage/statements.js';

/** The kinds of callers. `shell` is a command of `shorty-server`. */
export const actorTypes = ['user', 'client', 'apiKey', 'operator', 'shell'] as const;

/** The kinds of records that writes change. */
export const resourceTypes = [
  'url',
  'tag',
  'qr',
  'webhook',
  'delivery',
  'replay',
  'domain',
  'apiKey',
  'client',
  'user',
  'organization',
  'blockedHost',
] as const;

/** Who makes a write, from where, and by which operation. */
export interface WriteOrigin {
  readonly entryId: string;
  readonly actorType: (typeof actorTypes)[number];
  /** The id of the person, client or API key; null for the operator and for commands. */
  readonly actorId: string | null;
  readonly address: string | null;
  readonly operation: string;
  /** The names of the fields that a PATCH of one record contains. */
  readonly fields: readonly string[];
  readonly clock: Clock;
}

/** What an accepted write has changed. */
export interface AuditTarget {
  readonly type: (typeof resourceTypes)[number];
  /** Undefined for a write of several records. */
  readonly id?: string | number | undefined;
  /** The number of changed records; 1 by default. */
  readonly count?: number;
  /** The owner of the record, if it is not the organization that makes the write; null for no owner. */
  readonly organizationId?: string | null;
}

/**
 * Writes the entry of the audit log at the end of the write's own transaction. Its time is the end of
 * the work, not that of the request, so that entries hardly appear behind newer ones. A write of several
 * transactions at one time of its clock has one entry, to which each adds its records.
 */
export function recordAuditEntry(
  transaction: WriteTransaction,
  origin: WriteOrigin,
  { type, id, count = 1, organizationId }: AuditTarget & { readonly organizationId: string | null },
): void {
  const row: Schema['audit_log'] = {
    created_at: origin.clock(),
    id: origin.entryId,
    organization_id: organizationId,
    actor_type: origin.actorType,
    actor_id: origin.actorId,
    address: origin.address,
    operation: origin.operation,
    resource_type: type,
    resource_id: id === undefined ? null : String(id),
    item_count: count,
    fields: origin.fields.length === 0 ? null : origin.fields.join(),
  };
  handleAtCommit(transaction, insertRows, row);
}

const addToCount =
  'on conflict (created_at, id) do update set item_count = audit_log.item_count + excluded.item_count';
const insertRows = (transaction: WriteTransaction, rows: readonly Schema['audit_log'][]) =>
  bulkInsert(transaction, 'audit_log', rows, addToCount);
