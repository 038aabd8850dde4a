import type { Kysely, Migration } from 'kysely';
import type { Engine } from '../database.js';
import { dialects } from './dialects.js';

/** What attempts say about an endpoint, and whether the server has disabled it. */
export function webhookHealth(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up({ schema }: Kysely<unknown>): Promise<void> {
      await schema.alterTable('webhooks').addColumn('last_success_at', 'bigint').execute();
      await schema.alterTable('webhooks').addColumn('failing_since', 'bigint').execute();
      await schema.alterTable('webhooks').addColumn('failure_rate', 'double precision').execute();
      await schema.alterTable('webhooks').addColumn('disabled_at', 'bigint').execute();
      await schema.alterTable('webhooks').addColumn('disabled_reason', dialect.text).execute();
    },
  };
}
