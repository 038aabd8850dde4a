import { expect, it, onTestFinished } from 'vitest';
import { deleteExpired } from '../../src/deletion/delete-expired.js';
import { idempotencyWindowMs } from '../../src/idempotency/with-idempotency-key.js';
import { bulkInsert } from '../../src/storage/statements.js';
import { now, openRepository } from './temporary-database.js';

// More than one batch.
const expiredCount = 1_200;
const auditRetentionDays = 365;

interface Case {
  readonly table: 'access_tokens' | 'idempotency_keys' | 'audit_log';
  /** Returns a row that ends so many milliseconds after now. */
  readonly row: (index: number, endsIn: number, organizationId: string, clientId: string) => object;
}

const cases: readonly Case[] = [
  {
    table: 'access_tokens',
    row: (index, endsIn, _, clientId) => ({
      token_hash: `hash-${index}`,
      client_id: clientId,
      scopes: '',
      created_at: 0,
      expires_at: now + endsIn,
    }),
  },
  {
    table: 'idempotency_keys',
    row: (index, endsIn, organizationId) => ({
      organization_id: organizationId,
      key: `key-${index}`,
      fingerprint: '',
      result: '{}',
      created_at: now - idempotencyWindowMs + endsIn,
    }),
  },
  {
    table: 'audit_log',
    row: (index, endsIn, organizationId) => ({
      created_at: now - auditRetentionDays * 24 * 60 * 60 * 1000 + endsIn,
      id: `entry-${index}`,
      organization_id: organizationId,
      actor_type: 'operator',
      actor_id: null,
      address: null,
      operation: 'updateUrl',
      resource_type: 'url',
      resource_id: '1',
      item_count: 1,
      fields: null,
    }),
  },
];

it.each(cases)('expired rows of $table are deleted, and no other row', async (each) => {
  const { database, close, addOrganization } = await openRepository();
  onTestFinished(close);
  const organizationId = await addOrganization('scale');
  const client = database.read.selectFrom('clients').select('id');
  const { id } = await client.executeTakeFirstOrThrow();
  const rows = Array.from({ length: expiredCount + 1 }, (_, index) =>
    each.row(index, index < expiredCount ? 0 : 1, organizationId, id),
  );
  await database.writeDirectly((transaction) =>
    bulkInsert(transaction, each.table, rows as never[]),
  );
  await deleteExpired(database, { now, auditRetentionDays }, new AbortController().signal);
  expect(await database.read.selectFrom(each.table).select('created_at').execute()).toHaveLength(1);
});
