import { hash } from 'node:crypto';
import type { Schema } from './schema.js';
import { tables } from './tables.js';

type UrlColumn = keyof Schema['urls'];

// What tells links apart or describes them, and whether they are active. All other columns decide where and
// how a link redirects.
const otherColumns: ReadonlySet<string> = new Set<UrlColumn>([
  'id',
  'short_code',
  'custom_slug',
  'external_id',
  'title',
  'description',
  'category',
  'tags',
  'source_domain',
  'click_thresholds',
  'imported_clicks',
  'search_text',
  'settings_hash',
  'is_active',
  'deleted_at',
  'created_at',
  'updated_at',
]);

/** The columns that are equal in links of one organization which redirect alike. */
export const settingColumns = (Object.keys(tables.urls.columns) as UrlColumn[])
  .filter((column) => !otherColumns.has(column))
  .sort();

/**
 * Returns the hash of a link's organization, target and settings, stored in `urls.settings_hash`. It has 53
 * bits, so that it is an integer in JavaScript, too. Null is not hashed, so a new column changes no hash.
 */
export function settingsHashOf(row: Readonly<Record<string, unknown>>): number {
  const settings = settingColumns.flatMap((column) =>
    row[column] == null ? [] : [column, String(row[column])],
  );
  return Number(hash('sha256', JSON.stringify(settings), 'buffer').readBigUInt64BE() >> 11n);
}
