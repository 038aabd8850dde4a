// Stores the ids of deliveries in PostgreSQL, for receivers on several machines:
//   const deduper = createDeduper({ store: postgresStore(new pg.Pool()) });
import { randomUUID } from 'node:crypto';

/** Run it once, for example in a migration. */
export const postgresSchema = `
  CREATE TABLE webhook_deliveries (
    id text PRIMARY KEY, state text NOT NULL, owner uuid NOT NULL, expires_at timestamptz NOT NULL
  );
  CREATE INDEX webhook_deliveries_expiry ON webhook_deliveries (expires_at);`;

/** `pool` is a pool of pg. The clock is the database's. */
export function postgresStore(pool) {
  // A process that was too slow must not release the claim of another.
  const owner = randomUUID();
  const expiry = `now() + $3 * interval '1 millisecond'`;
  return {
    async claim(id, leaseMs) {
      // One statement, so only one process can claim an id. An expired claim is free again.
      const { rowCount } = await pool.query(
        `INSERT INTO webhook_deliveries VALUES ($1, 'running', $2, ${expiry})
         ON CONFLICT (id) DO UPDATE
           SET state = 'running', owner = excluded.owner, expires_at = excluded.expires_at
           WHERE webhook_deliveries.expires_at <= now()`,
        [id, owner, leaseMs],
      );
      if (rowCount === 1) return 'claimed';
      const { rows } = await pool.query('SELECT state FROM webhook_deliveries WHERE id = $1', [id]);
      return rows[0]?.state ?? 'running';
    },
    async finish(id, ttlMs) {
      await pool.query(
        `INSERT INTO webhook_deliveries VALUES ($1, 'done', $2, ${expiry})
         ON CONFLICT (id) DO UPDATE SET state = 'done', expires_at = excluded.expires_at`,
        [id, owner, ttlMs],
      );
      await pool.query(
        `DELETE FROM webhook_deliveries WHERE id IN
           (SELECT id FROM webhook_deliveries WHERE expires_at <= now()
            LIMIT 100 FOR UPDATE SKIP LOCKED)`,
      );
    },
    async release(id) {
      await pool.query(
        `DELETE FROM webhook_deliveries WHERE id = $1 AND owner = $2 AND state = 'running'`,
        [id, owner],
      );
    },
  };
}
