// Stores the ids of deliveries in SQLite, for the receivers of one machine:
//   const deduper = createDeduper({ store: sqliteStore(new Database('deliveries.db')) });
import { randomUUID } from 'node:crypto';

/** `database` is a database of better-sqlite3. */
export function sqliteStore(database) {
  database.pragma('journal_mode = WAL');
  database.exec(`
    CREATE TABLE IF NOT EXISTS webhook_deliveries (
      id TEXT PRIMARY KEY, state TEXT NOT NULL, owner TEXT NOT NULL, expires_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS webhook_deliveries_expiry ON webhook_deliveries (expires_at);
  `);
  // One statement, so only one process can claim an id. An expired claim is free again.
  const claim = database.prepare(`
    INSERT INTO webhook_deliveries VALUES (@id, 'running', @owner, @now + @ms)
    ON CONFLICT (id) DO UPDATE
      SET state = 'running', owner = excluded.owner, expires_at = excluded.expires_at
      WHERE expires_at <= @now`);
  const find = database.prepare('SELECT state FROM webhook_deliveries WHERE id = ?').pluck();
  const finish = database.prepare(`
    INSERT INTO webhook_deliveries VALUES (@id, 'done', @owner, @now + @ms)
    ON CONFLICT (id) DO UPDATE SET state = 'done', expires_at = excluded.expires_at`);
  const prune = database.prepare(`
    DELETE FROM webhook_deliveries WHERE id IN
      (SELECT id FROM webhook_deliveries WHERE expires_at <= ? LIMIT 100)`);
  const release = database.prepare(
    `DELETE FROM webhook_deliveries WHERE id = ? AND owner = ? AND state = 'running'`,
  );
  // A process that was too slow must not release the claim of another.
  const owner = randomUUID();
  return {
    claim(id, ms) {
      if (claim.run({ id, owner, now: Date.now(), ms }).changes === 1) return 'claimed';
      return find.get(id) ?? 'running';
    },
    finish(id, ms) {
      finish.run({ id, owner, now: Date.now(), ms });
      prune.run(Date.now());
    },
    release(id) {
      release.run(id, owner);
    },
  };
}
