import { type Kysely, type Migration, sql } from 'kysely';
import type { Engine } from '../database.js';
import { dialects } from './dialects.js';

export function qrCodes(engine: Engine): Migration {
  const dialect = dialects[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;

      await schema
        .createTable('qr_codes')
        .addColumn('id', dialect.text, (column) => column.primaryKey())
        .addColumn('organization_id', dialect.text, (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('url_id', 'bigint', (column) => column.references('urls.id'))
        .addColumn('qr_data', dialect.text, (column) => column.notNull())
        .addColumn('format', dialect.text, (column) => column.notNull())
        .addColumn('size', 'integer', (column) => column.notNull())
        .addColumn('error_correction', dialect.text, (column) => column.notNull())
        .addColumn('foreground_color', dialect.text, (column) => column.notNull())
        .addColumn('background_color', dialect.text, (column) => column.notNull())
        .addColumn('logo_url', dialect.text)
        .addColumn('style_preset', dialect.text, (column) => column.notNull())
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('deleted_at', 'bigint')
        .execute();
      await schema
        .createIndex('qr_codes_by_organization')
        .on('qr_codes')
        .columns(['organization_id', 'created_at', 'id'])
        .where(sql.ref('deleted_at'), 'is', null)
        .execute();
      await schema
        .createIndex('qr_codes_by_url')
        .on('qr_codes')
        .columns(['url_id', 'created_at', 'id'])
        .where(sql.ref('url_id'), 'is not', null)
        .execute();

      // Apart from the records, so that lists never read past them.
      await schema
        .createTable('qr_pictures')
        .addColumn('qr_id', dialect.text, (column) => column.primaryKey().references('qr_codes.id'))
        .addColumn('picture', dialect.bytes, (column) => column.notNull())
        .addColumn('logo', dialect.bytes)
        .addColumn('logo_width', 'integer')
        .addColumn('logo_height', 'integer')
        .execute();

      // Apart from the records as well, for the sake of those that are written many times a second.
      await schema
        .createTable('qr_counts')
        .addColumn('qr_id', dialect.text, (column) => column.primaryKey().references('qr_codes.id'))
        .addColumn('scans', 'bigint', (column) => column.notNull())
        .addColumn('downloads', 'bigint', (column) => column.notNull())
        .modifyEnd(dialect.clustered)
        .execute();

      // What is left of a code's days whose visits were pruned.
      await schema
        .createTable('scan_days')
        .addColumn('qr_id', dialect.text, (column) => column.notNull())
        .addColumn('day', 'bigint', (column) => column.notNull())
        .addColumn('scans', 'bigint', (column) => column.notNull())
        .addColumn('summary', dialect.text, (column) => column.notNull())
        .addPrimaryKeyConstraint('scan_days_primary', ['qr_id', 'day'])
        .modifyEnd(dialect.clustered)
        .execute();
      // The day's visits that any code of the link has brought.
      await schema
        .alterTable('click_days')
        .addColumn('scans', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();

      // What an organization has used of its plan, month by month.
      await schema
        .createTable('usage_meters')
        .addColumn('organization_id', dialect.text, (column) =>
          column.notNull().references('organizations.id'),
        )
        .addColumn('month', dialect.text, (column) => column.notNull())
        .addColumn('meter', dialect.text, (column) => column.notNull())
        .addColumn('used', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('usage_meters_primary', ['organization_id', 'month', 'meter'])
        .modifyEnd(dialect.clustered)
        .execute();
    },
  };
}
