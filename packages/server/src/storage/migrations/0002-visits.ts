import type { Kysely, Migration } from 'kysely';
import type { Engine } from './apply-migrations.js';

const dialects = {
  sqlite: { countedKey: 'integer' },
} as const;

export function visits(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      // No index: rows arrive by the ten thousand, and each index would cost more than the row.
      await db.schema
        .createTable('visits')
        .addColumn('id', dialect.countedKey, (column) => column.primaryKey())
        .addColumn('url_id', 'bigint', (column) => column.notNull())
        .addColumn('visited_at', 'bigint', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('is_by_code', 'integer', (column) => column.notNull())
        .addColumn('country', 'text', (column) => column.notNull())
        .addColumn('device_type', 'text', (column) => column.notNull())
        .addColumn('browser', 'text', (column) => column.notNull())
        .addColumn('os', 'text', (column) => column.notNull())
        .addColumn('referrer_domain', 'text', (column) => column.notNull())
        .addColumn('referrer_type', 'text', (column) => column.notNull())
        .addColumn('visitor_key', 'text')
        .addColumn('address_key', 'text', (column) => column.notNull())
        .addColumn('scanner_app', 'text')
        .addColumn('scan_evidence', 'integer', (column) => column.notNull())
        .execute();

      // How far each journal has been moved into storage, written in the transaction that moved it.
      await db.schema
        .createTable('journal_positions')
        .addColumn('writer_id', 'text', (column) => column.primaryKey())
        .addColumn('segment', 'integer', (column) => column.notNull())
        .addColumn('offset', 'bigint', (column) => column.notNull())
        .execute();
    },
  };
}
