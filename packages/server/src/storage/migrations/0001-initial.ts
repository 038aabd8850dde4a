import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine } from '../database.js';
import { dialects } from './dialects.js';

export function initial(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;

      await schema
        .createTable('organizations')
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('name', dialect.text, (column) => column.notNull())
        .addColumn('plan', dialect.text, (column) => column.notNull())
        .addColumn('active_urls', 'bigint', (column) => column.notNull().defaultTo(0))
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();

      await schema
        .createTable('clients')
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('organization_id', dialect.text, (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('secret_hash', dialect.text, (column) => column.notNull())
        .addColumn('scopes', dialect.text, (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('revoked_at', 'bigint')
        .execute();

      await schema
        .createTable('access_tokens')
        .addColumn('token_hash', dialect.text, (column) => column.primaryKey())
        .addColumn('client_id', dialect.text, (column) => column.notNull().references('clients.id'))
        .addColumn('scopes', dialect.text, (column) => column.notNull())
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
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('organization_id', dialect.text, (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('hostname', dialect.text, (column) => column.notNull())
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
        .addColumn('organization_id', dialect.text, (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('domain_id', dialect.text, (column) => column.references('domains.id'))
        .addColumn('short_code', dialect.text, (column) => column.notNull())
        .addColumn('custom_slug', dialect.text)
        .addColumn('target_url', dialect.text, (column) => column.notNull())
        .addColumn('title', dialect.text)
        .addColumn('description', dialect.text)
        .addColumn('category', dialect.text)
        .addColumn('tags', dialect.text, (column) => column.notNull())
        .addColumn('redirect_type', 'integer', (column) => column.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('password_hash', dialect.text)
        .addColumn('utm_source', dialect.text)
        .addColumn('utm_medium', dialect.text)
        .addColumn('utm_campaign', dialect.text)
        .addColumn('utm_term', dialect.text)
        .addColumn('utm_content', dialect.text)
        .addColumn('custom_utm_params', dialect.text, (column) => column.notNull())
        .addColumn('source_domain', dialect.text)
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
        .addColumn('domain_key', dialect.text, (column) => column.notNull())
        .addColumn('key', dialect.text, (column) => column.notNull())
        .addColumn('url_id', 'bigint', (column) => column.notNull().references('urls.id'))
        .addPrimaryKeyConstraint('url_keys_primary', ['domain_key', 'key'])
        .modifyEnd(dialect.clustered)
        .execute();

      await schema
        .createTable('idempotency_keys')
        .addColumn('organization_id', dialect.text, (column) => column.notNull())
        .addColumn('key', dialect.text, (column) => column.notNull())
        .addColumn('fingerprint', dialect.text, (column) => column.notNull())
        .addColumn('result', dialect.text, (column) => column.notNull())
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
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('organization_id', dialect.text, (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('url', dialect.text, (column) => column.notNull())
        .addColumn('events', dialect.text, (column) => column.notNull())
        .addColumn('secret', dialect.text, (column) => column.notNull())
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
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('organization_id', dialect.text, (column) => column.notNull())
        .addColumn('type', dialect.text, (column) => column.notNull())
        .addColumn('data', dialect.text, (column) => column.notNull())
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
