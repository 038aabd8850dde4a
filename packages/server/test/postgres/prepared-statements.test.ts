import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openRepository } from '../storage/temporary-database.js';

it('closes a connection that has prepared many different statements', async () => {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  for (let turn = 0; turn < 20; turn += 1) {
    const statements = await stored.database.read.connection().execute(async (db) => {
      for (let at = 0; at < 100; at += 1) {
        await sql`select ${sql.lit(turn * 100 + at)} + ${1}::integer`.execute(db);
      }
      const { rows } = await sql<{ statement: string }>`
        select statement from pg_prepared_statements`.execute(db);
      return rows.map(({ statement }) => statement);
    });
    expect(statements.length).toBeLessThan(700);
    // Many others before it do not take its place.
    expect(statements).toContain(`select ${turn * 100} + $1::integer`);
  }
});
