import { afterAll, expect, it } from 'vitest';
import { replaceTag } from '../../src/urls/tag-handlers.js';
import { findTagged, listTags } from '../../src/urls/tag-query.js';
import { now, openRepository, requestWith } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());

const tagsOf = (database = stored.database) => ({
  ...stored.options,
  database,
  findTagged: findTagged.bind(null, stored.database),
});

async function withLinks(count: number, tags: string[]) {
  const organizationId = await stored.addOrganization('enterprise');
  await stored.create(organizationId, Array(count).fill({ tags }));
  return organizationId;
}

it('a change that is interrupted has counted its links in the audit log', async () => {
  const organizationId = await withLinks(450, ['old']);
  const { database } = stored;
  const { write } = database;
  let writes = 0;
  const failing: typeof database = {
    ...database,
    write(...args) {
      writes += 1;
      if (writes === 4) throw new Error('the process ends');
      return write(...args);
    },
  };
  const request = requestWith({ organizationId, key: 'rename-old', fingerprint: 'a', now });
  const context = { organizationId, now: now + 1, write: request };
  await expect(replaceTag(tagsOf(failing), 'old', 'new', context)).rejects.toThrow(
    'the process ends',
  );
  const entries = database.read
    .selectFrom('audit_log')
    .select(['resource_type', 'resource_id', 'item_count'])
    .where('organization_id', '=', organizationId);
  const counted = { resource_type: 'tag', resource_id: 'old' };
  expect(await entries.execute()).toEqual([{ ...counted, item_count: 300 }]);
  const again = requestWith({ organizationId, key: 'rename-old', fingerprint: 'a', now });
  await replaceTag(tagsOf(), 'old', 'new', { ...context, write: again });
  const [, rest] = await entries.orderBy('item_count', 'desc').execute();
  expect(rest).toMatchObject({ item_count: 150 });
});

it('a change that reaches its time limit is continued by the same request', async () => {
  const organizationId = await withLinks(250, ['old', 'other']);
  const write = requestWith({ organizationId, key: 'delete-old', fingerprint: 'a', now });
  const context = { organizationId, now: now + 1, write };
  const results = [];
  for (let call = 0; call < 4; call += 1) {
    results.push(await replaceTag(tagsOf(), 'old', null, context, 0));
  }
  expect(results).toEqual([
    { result: { updatedCount: 100, isComplete: false }, replayed: false },
    { result: { updatedCount: 100, isComplete: false }, replayed: false },
    { result: { updatedCount: 50, isComplete: true }, replayed: false },
    { result: { updatedCount: 50, isComplete: true }, replayed: true },
  ]);
  const filter = { order: 'asc', limit: 100, offset: 0 } as const;
  const rest = await listTags(stored.database, organizationId, filter);
  expect(rest?.items).toEqual([{ name: 'other', linkCount: 250 }]);
});
