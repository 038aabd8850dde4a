import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const dayMs = 86_400_000;
const deletedDomains = 40_000;
const deletedWebhooks = 10_000;
const deliveries = 100_000;
const expiredKeys = 50_000;

/**
 * Adds what years of use leave behind for a tenant: deleted domains and webhooks, deliveries that are
 * old enough to be pruned, and expired access tokens and idempotency keys. Requests of an attack would
 * need hours for them.
 */
export function ageDatabase({ folder, clientId }) {
  const db = new Database(join(folder, 'shorty.db'), { timeout: 10_000 });
  const insert = (table, count, rowOf) => {
    const columns = Object.keys(rowOf(0));
    const values = columns.map((column) => `@${column}`).join(', ');
    const statement = db.prepare(`insert into ${table} (${columns.join(', ')}) values (${values})`);
    // Small transactions: the server writes at the same time.
    for (let from = 0; from < count; from += 2_000) {
      db.transaction(() => {
        for (let n = from; n < Math.min(from + 2_000, count); n += 1) statement.run(rowOf(n));
      }).immediate();
    }
  };
  const organization_id = db
    .prepare('select organization_id from clients where id = ?')
    .pluck()
    .get(clientId);
  const long_ago = Date.now() - 400 * dayMs;

  insert('domains', deletedDomains, (n) => ({
    id: randomUUID(),
    organization_id,
    hostname: `deleted-${n}.attack.example`,
    is_active: 0,
    created_at: long_ago + n,
    deleted_at: long_ago + n,
  }));
  const webhook = () => ({
    id: randomUUID(),
    organization_id,
    url: 'http://127.0.0.1:9/deleted',
    events: JSON.stringify(['url.created']),
    secret: 'whsec_deleted',
    is_active: 0,
    created_at: long_ago,
    updated_at: long_ago,
    deleted_at: long_ago,
  });
  insert('webhooks', deletedWebhooks, webhook);
  const { id: webhook_id } = db
    .prepare('select id from webhooks where organization_id = ? limit 1')
    .get(organization_id);
  const event_id = randomUUID();
  insert('events', 1, () => ({
    id: event_id,
    organization_id,
    type: 'url.created',
    body: '{}',
    created_at: long_ago,
  }));
  insert('deliveries', deliveries, (n) => ({
    id: randomUUID(),
    webhook_id,
    event_id,
    status: 'delivered',
    attempts: 1,
    created_at: long_ago + n,
    delivered_at: long_ago + n,
  }));
  insert('access_tokens', expiredKeys, () => ({
    token_hash: randomUUID(),
    client_id: clientId,
    scopes: '[]',
    created_at: long_ago,
    expires_at: long_ago + dayMs,
  }));
  insert('idempotency_keys', expiredKeys, (n) => ({
    organization_id,
    key: `expired-${n}`,
    fingerprint: '',
    result: '{}',
    created_at: long_ago,
  }));
  db.close();
}
