import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../config-error.js';
import { type Row, readInBatches } from '../../storage/batches.js';
import type { Database, Schema, Value } from '../../storage/database.js';
import {
  definitionOf,
  exportedColumnsOf,
  keyOf,
  ownerOf,
  type Table,
} from '../../storage/schema.js';
import { mapSecrets } from '../../storage/secrets.js';
import { fileFormat, transferTables } from './transfer-file.js';

/**
 * Passes the lines of an organization's export to `consume`: a header, the rows, and an end with their
 * numbers and a hash. All of them come from one snapshot, and rows are read as fast as `consume` takes them.
 *
 * @throws {ConfigError} while a link is being erased
 */
export function exportOrganization(
  { snapshot, keyring }: Database,
  organizationId: string,
  consume: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  const lineOf = (content: object) => {
    const text = `${JSON.stringify(content)}\n`;
    hash.update(text);
    return text;
  };
  // Another server has another key.
  const decrypt = keyring.decrypt.bind(keyring);
  async function* linesOf(db: Kysely<Schema>): AsyncGenerator<string> {
    yield lineOf({ ...fileFormat, organizationId });
    for (const table of transferTables) {
      const columns = exportedColumnsOf(table);
      for await (const rows of rowsOf(db, table, organizationId)) {
        counts[table] = (counts[table] ?? 0) + rows.length;
        for (const row of rows) {
          const values = mapSecrets(table, row, decrypt);
          const cells = columns.map(([name]) => [name, toJson(values[name])]);
          yield lineOf({ table, row: Object.fromEntries(cells) });
        }
      }
    }
    yield `${JSON.stringify({ end: { rows: counts, sha256: hash.digest('hex') } })}\n`;
  }
  return snapshot(async (db) => {
    const erased = db.selectFrom('retired_keys').select('url_id').where('url_id', 'is not', null);
    if (await erased.where('organization_id', '=', organizationId).executeTakeFirst()) {
      throw new ConfigError('a link of the organization is being erased: try again in a minute');
    }
    await consume(linesOf(db));
  });
}

function toJson(value: Value | undefined) {
  const isBytes = value instanceof Uint8Array;
  return isBytes ? { base64: Buffer.from(value).toString('base64') } : value;
}

/** Yields the rows of an organization in a table, found by indexes of their owners. */
async function* rowsOf(
  db: Kysely<Schema>,
  table: Table,
  organizationId: string,
  columns = sql`own.*`,
): AsyncGenerator<readonly Row[]> {
  const owner = ownerOf(table);
  if (owner && owner.parent !== 'organizations') {
    for await (const owners of rowsOf(db, owner.parent, organizationId, sql`created_at, id`)) {
      const ids = owners.map(({ id }) => id as Value);
      // In no order: PostgreSQL could read the index of the key instead.
      const { rows } = await sql<Row>`select own.* from ${sql.table(table)} as own
        where ${sql.ref(owner.column)} in (${sql.join(ids)})`.execute(db);
      yield rows;
    }
    return;
  }
  const column = 'organization_id' in definitionOf(table).columns ? 'organization_id' : 'id';
  const from = sql`from ${sql.table(table)} as own where ${sql.ref(column)} = ${organizationId}`;
  // Links are read in the order of their organization's index.
  yield* readInBatches(db, from, table === 'urls' ? ['created_at', 'id'] : keyOf(table), columns);
}
