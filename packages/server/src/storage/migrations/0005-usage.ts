import type { Kysely, Migration } from 'kysely';
import type { Engine } from '../database.js';
import { dialects } from './dialects.js';

/** What past months are charged by, and which deliveries are charged. */
export function usage(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;
      await schema
        .createTable('plan_changes')
        .addColumn('organization_id', dialect.text, (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('changed_at', 'bigint', (column) => column.notNull())
        .addColumn('plan_before', dialect.text, (column) => column.notNull())
        .addPrimaryKeyConstraint('plan_changes_primary', ['organization_id', 'changed_at'])
        .modifyEnd(dialect.clustered)
        .execute();
      await schema
        .alterTable('deliveries')
        .addColumn('is_charged', 'integer', (column) => column.notNull().defaultTo(1))
        .execute();
    },
  };
}
