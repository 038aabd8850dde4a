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

const listAll = (organizationId: string, maxTags?: number) => {
  const filter = { order: 'asc', limit: 100, offset: 0 } as const;
  return listTags(stored.database, organizationId, filter, maxTags);
};

async function withLinks(count: number, namesOf: (index: number) => string[]) {
  const organizationId = await stored.addOrganization('enterprise');
  const drafts = Array.from({ length: count }, (_, index) => ({ tags: namesOf(index) }));
  for (let at = 0; at < count; at += 500) {
    await stored.create(organizationId, drafts.slice(at, at + 500));
  }
  return organizationId;
}

it('reads the tags of more links than a slice has', async () => {
  const organizationId = await withLinks(1_200, (index) => [`tag ${index % 3}`, 'all']);
  expect((await listAll(organizationId))?.items).toEqual([
    { name: 'all', linkCount: 1_200 },
    { name: 'tag 0', linkCount: 400 },
    { name: 'tag 1', linkCount: 400 },
    { name: 'tag 2', linkCount: 400 },
  ]);
});

it('a change that is interrupted has counted its links in the audit log', async () => {
  const organizationId = await withLinks(450, () => ['old']);
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
  const organizationId = await withLinks(250, () => ['old', 'other']);
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
  expect((await listAll(organizationId))?.items).toEqual([{ name: 'other', linkCount: 250 }]);
});
