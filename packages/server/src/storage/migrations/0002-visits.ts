import type { Kysely, Migration } from 'kysely';
import type { Engine } from '../database.js';
import { dialects } from './dialects.js';

export function visits(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;

      // How far each journal has been moved into storage, written in the transaction that moved it.
      await schema
        .createTable('journal_positions')
        .addColumn('writer_id', dialect.text, (column) => column.primaryKey())
        .addColumn('segment', 'integer', (column) => column.notNull())
        .addColumn('offset', 'bigint', (column) => column.notNull())
        .execute();

      // Apart from the links themselves, whose rows are wide: a count is written many times a second.
      await schema
        .createTable('url_clicks')
        .addColumn('url_id', dialect.integerKey, (column) => column.primaryKey())
        .addColumn('clicks', 'bigint', (column) => column.notNull())
        .execute();

      // As they arrived, of all links: a row for each move.
      await schema
        .createTable('visit_batches')
        .addColumn('id', dialect.integerKey, dialect.generatedKey)
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('visit_count', 'integer', (column) => column.notNull())
        .addColumn('visits', dialect.bytes, (column) => column.notNull())
        .execute();

      // Link by link: what a report reads.
      await schema
        .createTable('visit_chunks')
        .addColumn('url_id', 'bigint', (column) => column.notNull())
        .addColumn('number', 'integer', (column) => column.notNull())
        .addColumn('first_at', 'bigint', (column) => column.notNull())
        .addColumn('last_at', 'bigint', (column) => column.notNull())
        .addColumn('visit_count', 'integer', (column) => column.notNull())
        .addColumn('visits', dialect.bytes, (column) => column.notNull())
        .addPrimaryKeyConstraint('visit_chunks_primary', [
          'url_id',
          'number',
          ...dialect.partitionKey('last_at'),
        ])
        .modifyEnd(dialect.partitioned('last_at'))
        .execute();

      // Which batches are being sorted into chunks, and the link that is next.
      await schema
        .createTable('visit_compactions')
        .addColumn('up_to_batch', 'bigint', (column) => column.notNull())
        .addColumn('next_url', 'bigint', (column) => column.notNull())
        .execute();

      // What is left of days whose visits were pruned.
      await schema
        .createTable('click_days')
        .addColumn('url_id', 'bigint', (column) => column.notNull())
        .addColumn('day', 'bigint', (column) => column.notNull())
        .addColumn('clicks', 'bigint', (column) => column.notNull())
        .addColumn('summary', dialect.text, (column) => column.notNull())
        .addPrimaryKeyConstraint('click_days_primary', ['url_id', 'day'])
        .modifyEnd(dialect.clustered)
        .execute();
    },
  };
}
