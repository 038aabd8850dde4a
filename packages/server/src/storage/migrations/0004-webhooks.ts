import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine } from '../database.js';
import { dialects } from './dialects.js';

/** Deliveries that can be claimed, recorded and pruned. No webhook could be made before. */
export function webhooks(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;
      await schema.dropTable('deliveries').execute();
      await schema.dropTable('events').execute();

      // Both sign until the time has come.
      await schema.alterTable('webhooks').addColumn('previous_secret', dialect.text).execute();
      await schema
        .alterTable('webhooks')
        .addColumn('previous_secret_expires_at', 'bigint')
        .execute();
      // Its deliveries may be many, so that they are removed little by little.
      await schema.alterTable('webhooks').addColumn('deleted_at', 'bigint').execute();

      await schema
        .createTable('events')
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('organization_id', dialect.text, (column) => column.notNull())
        .addColumn('type', dialect.text, (column) => column.notNull())
        .addColumn('body', dialect.text, (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();

      await schema
        .createTable('deliveries')
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('webhook_id', dialect.text, (column) =>
          column.notNull().references('webhooks.id'),
        )
        .addColumn('event_id', dialect.text, (column) => column.notNull().references('events.id'))
        .addColumn('status', dialect.text, (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('next_attempt_at', 'bigint')
        // When it may be claimed: its next attempt, or the end of the lease of whoever makes that.
        .addColumn('due_at', 'bigint')
        .addColumn('last_status_code', 'integer')
        .addColumn('last_error', dialect.text)
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('delivered_at', 'bigint')
        .modifyEnd(dialect.clustered)
        .execute();
      // Receiver by receiver, so that claiming for one passes over nobody else's backlog.
      await schema
        .createIndex('deliveries_due')
        .on('deliveries')
        .columns(['webhook_id', 'due_at'])
        .where(sql.ref('due_at'), 'is not', null)
        .execute();
      await schema
        .createIndex('deliveries_by_webhook')
        .on('deliveries')
        .columns(['webhook_id', 'created_at', 'id'])
        .execute();
      await schema
        .createIndex('deliveries_failed')
        .on('deliveries')
        .columns(['webhook_id', 'created_at', 'id'])
        .where(sql.ref('status'), '=', sql.lit('failed'))
        .execute();
      await schema.createIndex('deliveries_by_event').on('deliveries').column('event_id').execute();

      await schema
        .createTable('delivery_attempts')
        .addColumn('delivery_id', dialect.text, (column) => column.notNull())
        .addColumn('number', 'integer', (column) => column.notNull())
        .addColumn('attempted_at', 'bigint', (column) => column.notNull())
        .addColumn('duration_ms', 'integer', (column) => column.notNull())
        .addColumn('status_code', 'integer')
        .addColumn('error', dialect.text)
        .addColumn('response_body', dialect.text)
        .addPrimaryKeyConstraint('delivery_attempts_primary', ['delivery_id', 'number'])
        .modifyEnd(dialect.clustered)
        .execute();
    },
  };
}
