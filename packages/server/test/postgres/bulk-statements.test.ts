import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { now, openRepository, type Stored, updateUrls } from '../storage/temporary-database.js';

const tables = ['urls', 'url_keys', 'events', 'deliveries'] as const;

/** Counts the statements that write to each of the tables, until the test ends. */
async function countStatements({ database }: Stored) {
  await database.writeDirectly(async (transaction) => {
    await sql`create table statements (name text not null)`.execute(transaction);
    await sql`create function count_statement() returns trigger language plpgsql as
      $$ begin insert into statements values (tg_table_name || ' ' || tg_op); return null; end $$`.execute(
      transaction,
    );
    for (const table of tables) {
      await sql`create trigger counted after insert or update on ${sql.table(table)}
        for each statement execute function count_statement()`.execute(transaction);
    }
  });
  return async () => {
    const { rows } = await sql<{ name: string }>`delete from statements returning name`.execute(
      database.read,
    );
    return rows.map(({ name }) => name).sort();
  };
}

it('bulk creates and updates write each table by one statement, whatever their size', async () => {
  const stored = await openRepository();
  onTestFinished(() => stored.close());
  const organizationId = await stored.addOrganization('enterprise');
  await stored.subscribe(organizationId, ['url.created', 'url.updated']);
  const take = await countStatements(stored);
  for (const size of [2, 100]) {
    const outcomes = await stored.create(organizationId, Array<object>(size).fill({}));
    const ids = outcomes.flatMap((outcome) => (outcome.status === 'created' ? [outcome.id] : []));
    expect(ids).toHaveLength(size);
    expect(await take()).toEqual([
      'deliveries INSERT',
      'events INSERT',
      'url_keys INSERT',
      'urls INSERT',
    ]);
    await updateUrls(stored.urls, organizationId, ids, now, (url) => ({
      ok: true,
      url: { ...url, title: `one of ${size}` },
    }));
    expect(await take()).toEqual(['deliveries INSERT', 'events INSERT', 'urls UPDATE']);
  }
});
