import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine } from './apply-migrations.js';
import { dialects } from './dialects.js';

export function initial(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;

      await schema
        .createTable('organizations')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('plan', 'text', (column) => column.notNull())
        .addColumn('active_urls', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();

      await schema
        .createTable('clients')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('secret_hash', 'text', (column) => column.notNull())
        .addColumn('scopes', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('revoked_at', 'bigint')
        .execute();

      await schema
        .createTable('access_tokens')
        .addColumn('token_hash', 'text', (column) => column.primaryKey())
        .addColumn('client_id', 'text', (column) => column.notNull().references('clients.id'))
        .addColumn('scopes', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createIndex('access_tokens_by_expiry')
        .on('access_tokens')
        .column('expires_at')
        .execute();

      await schema
        .createTable('domains')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('hostname', 'text', (column) => column.notNull())
        .addColumn('is_active', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      // A hostname leads to one organization at most.
      await schema
        .createIndex('domains_active_hostname')
        .on('domains')
        .column('hostname')
        .unique()
        .where(sql.ref('is_active'), '=', 1)
        .execute();

      await schema
        .createTable('url_id_counter')
        .addColumn('last_id', 'bigint', (column) => column.notNull())
        .execute();
      await sql`insert into url_id_counter (last_id) values (0)`.execute(db);

      await schema
        .createTable('urls')
        .addColumn('id', dialect.integerKey, (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('domain_id', 'text', (column) => column.references('domains.id'))
        .addColumn('short_code', 'text', (column) => column.notNull())
        .addColumn('custom_slug', 'text')
        .addColumn('target_url', 'text', (column) => column.notNull())
        .addColumn('title', 'text')
        .addColumn('description', 'text')
        .addColumn('category', 'text')
        .addColumn('tags', 'text', (column) => column.notNull())
        .addColumn('redirect_type', 'integer', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('password_hash', 'text')
        .addColumn('utm_source', 'text')
        .addColumn('utm_medium', 'text')
        .addColumn('utm_campaign', 'text')
        .addColumn('utm_term', 'text')
        .addColumn('utm_content', 'text')
        .addColumn('custom_utm_params', 'text', (column) => column.notNull())
        .addColumn('source_domain', 'text')
        .addColumn('is_active', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createIndex('urls_by_organization')
        .on('urls')
        .columns(['organization_id', 'created_at', 'id'])
        .execute();
      await schema
        .createIndex('urls_to_expire')
        .on('urls')
        .column('expires_at')
        .where(sql.ref('expires_at'), 'is not', null)
        .where(sql.ref('is_active'), '=', 1)
        .execute();

      await schema
        .createTable('url_keys')
        .addColumn('domain_key', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('url_id', 'bigint', (column) => column.notNull().references('urls.id'))
        .addPrimaryKeyConstraint('url_keys_primary', ['domain_key', 'key'])
        .modifyEnd(dialect.clustered)
        .execute();

      await schema
        .createTable('idempotency_keys')
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('fingerprint', 'text', (column) => column.notNull())
        .addColumn('result', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('idempotency_keys_primary', ['organization_id', 'key'])
        .execute();
      await schema
        .createIndex('idempotency_keys_by_age')
        .on('idempotency_keys')
        .column('created_at')
        .execute();

      await schema
        .createTable('webhooks')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('events', 'text', (column) => column.notNull())
        .addColumn('secret', 'text', (column) => column.notNull())
        .addColumn('is_active', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createIndex('webhooks_by_organization')
        .on('webhooks')
        .columns(['organization_id', 'created_at', 'id'])
        .execute();

      await schema
        .createTable('events')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('data', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();

      await schema
        .createTable('deliveries')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('webhook_id', 'text', (column) => column.notNull().references('webhooks.id'))
        .addColumn('event_id', 'text', (column) => column.notNull().references('events.id'))
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('next_attempt_at', 'bigint')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createIndex('deliveries_due')
        .on('deliveries')
        .column('next_attempt_at')
        .where(sql.ref('next_attempt_at'), 'is not', null)
        .execute();
    },
  };
}
