import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteExpiredEntries } from '../../src/audit/audit-repository.js';
import { ClientRepository } from '../../src/auth/client-repository.js';
import {
  deleteExpiredKeys,
  idempotencyWindowMs,
} from '../../src/idempotency/with-idempotency-key.js';
import { now, openRepository, type Stored } from './temporary-database.js';

const expiredCount = 1200;
const never = new AbortController().signal;

let stored: Stored;
let organizationId: string;
beforeEach(async () => {
  stored = await openRepository();
  organizationId = await stored.addOrganization('scale');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stored.close();
});

async function addTokens() {
  const { id } = await stored.database.read
    .selectFrom('clients')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: expiredCount + 1 }, (_, index) => ({
    token_hash: `hash-${index}`,
    client_id: id,
    scopes: '',
    created_at: 0,
    expires_at: index < expiredCount ? now : now + 1,
  }));
  await stored.database.writeDirectly((transaction) =>
    stored.database.bulkInsert(transaction, 'access_tokens', rows),
  );
}

async function addKeys() {
  const rows = Array.from({ length: expiredCount + 1 }, (_, index) => ({
    organization_id: organizationId,
    key: `key-${index}`,
    fingerprint: '',
    result: '{}',
    created_at: now - idempotencyWindowMs + (index < expiredCount ? 0 : 1),
  }));
  await stored.database.writeDirectly((transaction) =>
    stored.database.bulkInsert(transaction, 'idempotency_keys', rows),
  );
}

const retentionDays = 365;

async function addEntries() {
  const rows = Array.from({ length: expiredCount + 1 }, (_, index) => ({
    created_at: now - retentionDays * 24 * 60 * 60 * 1000 + (index < expiredCount ? 0 : 1),
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
  }));
  await stored.database.writeDirectly((transaction) =>
    stored.database.bulkInsert(transaction, 'audit_log', rows),
  );
}

const cases = [
  {
    table: 'access_tokens',
    add: addTokens,
    remove: (signal: AbortSignal) =>
      new ClientRepository(stored.database).deleteExpiredTokens(now, signal),
  },
  {
    table: 'idempotency_keys',
    add: addKeys,
    remove: (signal: AbortSignal) => deleteExpiredKeys(stored.database, now, signal),
  },
  {
    table: 'audit_log',
    add: addEntries,
    remove: (signal: AbortSignal) =>
      deleteExpiredEntries(stored.database, retentionDays, now, signal),
  },
] as const;

describe.each(cases)('expired rows of $table', ({ table, add, remove }) => {
  const countRows = async () =>
    (await stored.database.read.selectFrom(table).select('created_at').execute()).length;

  it('are deleted in batches of 500, and no other row', async () => {
    await add();
    const write = vi.spyOn(stored.database, 'writeDirectly');
    await remove(never);
    expect(write).toHaveBeenCalledTimes(3);
    expect(await countRows()).toBe(1);
  });
});
