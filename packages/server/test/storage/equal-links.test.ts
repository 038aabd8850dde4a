import { CompiledQuery, type Kysely, type KyselyPlugin, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import type { Schema, WriteTransaction } from '../../src/storage/database.js';

import { newUrl, patchUrl } from '../../src/urls/change-url.js';
import { findEquivalent } from '../../src/urls/find-existing.js';
import { settingsHashOf, toRow } from '../../src/urls/short-url.js';
import { engine } from '../engine.js';
import { deleteUrls, draftOf, now, openRepository, updateUrls } from './temporary-database.js';

interface Plan {
  readonly 'Index Name'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const planText = (db: Kysely<Schema>, { sql: text, parameters }: CompiledQuery) =>
  db.executeQuery<{ detail: string } & { 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
    CompiledQuery.raw(
      `${engine() === 'sqlite' ? 'explain query plan' : 'explain (analyze, format json)'} ${text}`,
      [...parameters],
    ),
  );

it.each([
  ['settings', {}, 'urls_by_settings'],
  ['a slug', { customSlug: 'slug-3' }, 'url_keys'],
  ['an external id', { externalId: 'order-3' }, 'urls_by_external_id'],
])(
  'looking for an equal link by %s reads no other link with the target',
  async (_, fields, index) => {
    const { database, close, addOrganization } = await openRepository();
    onTestFinished(close);
    const organizationId = await addOrganization('enterprise');
    const identity = { id: 0, organizationId, shortCode: 'code', hostname: null };
    const wanted = newUrl(draftOf({ utmSource: 'mail', ...fields }), identity, now);
    await database.writeDirectly(async (transaction) => {
      // Links with other settings, deleted ones with the same settings, and the equal one.
      const same = toRow(wanted).settings_hash;
      await sql`insert into urls (id, organization_id, short_code, custom_slug, external_id, target_url,
        tags, redirect_type, utm_source, custom_utm_params, is_active, deleted_at, created_at,
        updated_at, settings_hash)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2000)
      select n, ${organizationId}, 'code' || n, 'slug-' || n, 'order-' || n, 'https://example.com/',
        '', 307, case when n < 1000 and n <> 3 then 'mail-' || n else 'mail' end, null,
        case when n < 1000 then 1 else 0 end, case when n < 1000 then null else 1 end, 0, 0,
        case when n < 1000 and n <> 3 then n else cast(${same} as bigint) end
      from numbers`.execute(transaction);
      await sql`insert into url_keys (domain_key, key, url_id) select '', custom_slug, id from urls`.execute(
        transaction,
      );
    });
    if (engine() === 'postgres') await sql`analyze urls, url_keys`.execute(database.read);
    const statements: CompiledQuery[] = [];
    const recorder: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        statements.push(database.read.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const observed = database.read.withPlugin(recorder) as unknown as WriteTransaction;
    expect((await findEquivalent(observed, wanted, null))?.id).toBe(3);
    const { rows } = await planText(database.read, statements.at(-1) as CompiledQuery);
    if (engine() === 'sqlite') {
      const details = rows.map(({ detail }) => detail);
      expect(details.filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
      expect(details.join('\n')).toContain(index);
    } else {
      const nodes = rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
      expect(nodes.map((node) => node['Rows Removed by Filter'] ?? 0)).toEqual(nodes.map(() => 0));
      expect(nodes.map((node) => node['Index Name']).join('\n')).toContain(index);
    }
  },
);

it('each write of a link stores the hash of its settings', async () => {
  const { database, urls, close, addOrganization, create } = await openRepository();
  onTestFinished(close);
  const organizationId = await addOrganization('enterprise');
  const created = await create(organizationId, [{}, { utmTerm: 'a' }, {}, { title: 'title' }]);
  const ids = created.map((each) => ('id' in each ? each.id : 0));
  const check = async () => {
    const rows = await database.read.selectFrom('urls').selectAll().orderBy('id').execute();
    expect(rows.map((row) => row.settings_hash)).toEqual(rows.map(settingsHashOf));
    return rows.map((row) => row.settings_hash);
  };
  const [first, second, third, fourth] = await check();
  expect([third, fourth]).toEqual([first, first]);
  expect(second).not.toBe(first);
  await updateUrls(urls, organizationId, ids.slice(1, 3), now + 1, (url) =>
    patchUrl(url, { targetUrl: 'https://example.org/', utmTerm: null }, null, now + 1),
  );
  const changed = await check();
  expect(changed[1]).toBe(changed[2]);
  expect(changed[1]).not.toBe(first);
  await deleteUrls(urls, organizationId, ids.slice(0, 1), now + 2);
  await check();
});

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
