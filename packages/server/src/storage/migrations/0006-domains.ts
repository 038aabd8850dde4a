import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine } from '../database.js';
import { dialects } from './dialects.js';

/** Domains that are verified, deleted and brought back. No domain could be made by the API before. */
export function domains(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;
      await schema
        .alterTable('domains')
        .addColumn('challenge', dialect.text, (column) => column.notNull().defaultTo(''))
        .execute();
      await schema.alterTable('domains').addColumn('verified_at', 'bigint').execute();
      await schema.alterTable('domains').addColumn('last_checked_at', 'bigint').execute();
      await schema.alterTable('domains').addColumn('last_error', dialect.text).execute();
      // Its links stay, and with them what they are on.
      await schema.alterTable('domains').addColumn('deleted_at', 'bigint').execute();
      await sql`update domains set verified_at = created_at where is_active = 1`.execute(db);

      await schema
        .createIndex('domains_of_organization')
        .on('domains')
        .columns(['organization_id', 'hostname'])
        .unique()
        .execute();
      await schema
        .createIndex('domains_by_hostname')
        .on('domains')
        .column('hostname')
        .where(sql.ref('verified_at'), 'is not', null)
        .execute();

      // To count those that hold a domain without reading them.
      await schema
        .createIndex('urls_by_domain')
        .on('urls')
        .columns(['domain_id', 'is_active'])
        .where(sql.ref('domain_id'), 'is not', null)
        .execute();
    },
  };
}
