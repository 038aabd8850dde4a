import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { isAmong } from '../../src/storage/is-among.js';
import { openRepository } from '../storage/temporary-database.js';

it('links are found by indexes of their ids, before the table has statistics and after', async () => {
  const { database, close, addOrganization } = await openRepository();
  onTestFinished(close);
  const organizationId = await addOrganization('enterprise');
  await sql`insert into urls (id, organization_id, short_code, target_url, tags, redirect_type,
      custom_utm_params, is_active, created_at, updated_at)
    select n, ${organizationId}, 'code' || n, 'https://example.com/', '', 307, '{}', 1, 0, 0
    from generate_series(1, 10000) as n`.execute(database.read);
  const { read } = database;
  const plansOf = async (ids: readonly number[]) => {
    const links = read.selectFrom('urls').select('id');
    const queries = [
      links.where(isAmong(read, sql.ref('id'), ids)),
      links.where('click_thresholds', 'is not', null).where(isAmong(read, sql`id + 0`, ids)),
    ];
    const plans = await Promise.all(queries.map((query) => query.explain('json')));
    return JSON.stringify(plans).match(/"(Node Type|Index Name)":"[^"]*"/g);
  };
  const byIndexes = expect.arrayContaining([
    '"Index Name":"urls_pkey"',
    '"Index Name":"urls_with_thresholds"',
  ]);
  const many = Array.from({ length: 2_500 }, (_, index) => 4 * index + 1);
  for (const prepare of [sql`select 1`, sql`analyze urls`]) {
    await prepare.execute(read);
    for (const ids of [[1], many]) {
      const plans = await plansOf(ids);
      expect(plans).toEqual(byIndexes);
      expect(plans).not.toContain('"Node Type":"Seq Scan"');
    }
  }
});
