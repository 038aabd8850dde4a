import { type CompiledQuery, type SqlBool, sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { readListPage } from '../../src/storage/list-page.js';
import { engine } from '../engine.js';
import { explain, recordStatements } from './statement-plans.js';
import { openRepository } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());

const indexed = sql<SqlBool>`deleted_at is null`;

// All links of an import may have one instant, and each page must not read those before it again.
it.each([
  ['urls', 'organization_id', undefined],
  ['qr_codes', 'organization_id', indexed],
  ['domains', 'organization_id', indexed],
  ['webhooks', 'organization_id', indexed],
  ['audit_log', 'organization_id', undefined],
  ['deliveries', 'webhook_id', undefined],
] as const)(
  'the list of %s continues within an instant by its index',
  async (table, column, indexed) => {
    const { database } = stored;
    const statements = new Map<string, CompiledQuery>();
    const { read } = recordStatements(database, statements);
    const owner = { column, value: 'owner' };
    const query = { table, owner, indexed, limit: 25, offset: 0, after: [5, 5] as const };
    await readListPage({ read, engine: engine() }, query);
    const [plan] = await explain(database, [...statements.values()]);
    const expected =
      engine() === 'sqlite'
        ? [`${column}=? AND created_at=? AND id<?`, `${column}=? AND created_at<?`]
        : [expect.stringMatching(/ROW\(created_at, id\) < ROW/)];
    expect(plan?.conditions).toEqual(expected);
  },
);
