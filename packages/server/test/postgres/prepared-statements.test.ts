import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openRepository } from '../storage/temporary-database.js';

async function open() {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  const { read } = stored.database;
  /** Runs work on one connection, and returns the texts of its prepared statements. */
  const statementsAfter = (work: (db: typeof read) => Promise<unknown>): Promise<string[]> =>
    read.connection().execute(async (db) => {
      await work(db);
      const { rows } = await sql<{ statement: string }>`
        select statement from pg_prepared_statements`.execute(db);
      return rows.map(({ statement }) => statement);
    });
  return statementsAfter;
}

it('prepares one statement for lists of any length', async () => {
  const statementsAfter = await open();
  const statements = await statementsAfter(async (db) => {
    for (let length = 0; length < 50; length += 1) {
      const ids = Array.from({ length }, (_, at) => at);
      const ofList = (operator: 'in' | 'not in') =>
        db.selectFrom('urls').select('title').where('id', operator, ids).execute();
      expect(await ofList('in')).toEqual([]);
      expect(await ofList('not in')).toEqual([]);
    }
  });
  expect(statements.filter((text) => text.startsWith('select "title"'))).toHaveLength(2);
});

it('closes a connection that has prepared many different statements', async () => {
  const statementsAfter = await open();
  for (let turn = 0; turn < 20; turn += 1) {
    const statements = await statementsAfter(async (db) => {
      for (let at = 0; at < 100; at += 1) {
        await sql`select ${sql.lit(turn * 100 + at)} + ${1}::integer`.execute(db);
      }
    });
    expect(statements.length).toBeLessThan(700);
    // Many others before it do not take its place.
    expect(statements).toContain(`select ${turn * 100} + $1::integer`);
  }
});
