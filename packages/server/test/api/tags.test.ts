import { describe, expect, it } from 'vitest';
import { type Caller, startForFile } from './start-server.js';

const api = await startForFile();

type Query = Readonly<Record<string, string | number>>;

/** Returns a new organization with links that have these tags, and the ids of the links. */
async function withLinks(...tagsOfLinks: readonly string[][]) {
  const caller = await api.newcomer('scale');
  const ids: string[] = [];
  for (const tags of tagsOfLinks) {
    ids.push((await caller.createLink({ tags })).id);
  }
  return { caller, ids };
}

const rename = (caller: Caller, tag: string, name: string, headers = {}) =>
  caller.call('renameTag', { params: { tag: encodeURIComponent(tag) }, body: { name }, headers });
const remove = (caller: Caller, tag: string, headers = {}) =>
  caller.call('deleteTag', { params: { tag: encodeURIComponent(tag) }, headers });

async function tagsOf(caller: Caller, ids: readonly string[]) {
  const links = await Promise.all(ids.map((id) => caller.call('getUrl', { params: { id } })));
  return links.map(({ data }) => data.tags);
}

async function listed(caller: Caller, query: Query = {}) {
  const { items } = (await caller.call('listTags', { query })).data;
  return items.map(({ name, linkCount }) => `${name} ${linkCount}`);
}

describe('GET /api/v1/tags', () => {
  it('counts the links of each tag, inactive ones included', async () => {
    const { caller, ids } = await withLinks(['b', 'a'], ['b'], [], ['B', 'c', 'c']);
    await caller.call('deleteUrl', { params: { id: ids[1] as string } });
    expect(await listed(caller)).toEqual(['a 1', 'B 1', 'b 2', 'c 1']);
    expect(await listed(caller, { order: 'desc' })).toEqual(['c 1', 'b 2', 'B 1', 'a 1']);
  });

  it('finds tags by a part of their name, in any case', async () => {
    const { caller } = await withLinks(['STRASSE', 'Straße', 'mail 100%', 'mail 100'], ['other']);
    expect(await listed(caller, { search: 'strasse' })).toEqual(['STRASSE 1', 'Straße 1']);
    expect(await listed(caller, { search: '0%' })).toEqual(['mail 100% 1']);
    expect(await listed(caller, { search: 'none' })).toEqual([]);
  });

  it('takes two normal forms of a text as the same', async () => {
    const [composed, decomposed] = ['café', 'cafe\u0301'];
    const { caller, ids } = await withLinks([decomposed, composed, 'x'], [composed]);
    expect(await tagsOf(caller, ids)).toEqual([[composed, 'x'], [composed]]);
    expect(await listed(caller, { search: decomposed })).toEqual([`${composed} 2`]);
    const [id = ''] = ids;
    const title = decomposed.toUpperCase();
    const changed = await caller.call('updateUrl', { params: { id }, body: { title } });
    expect(changed.data.title).toBe('CAFÉ');
    for (const text of [composed, decomposed]) {
      const searched = await caller.call('listUrls', { query: { search: text } });
      expect(searched.data.total).toBe(2);
      const filtered = await caller.call('listUrls', { query: { tag: text } });
      expect(filtered.data.total).toBe(2);
    }
    await rename(caller, decomposed, 'the\u0301');
    expect(await listed(caller)).toEqual(['thé 2', 'x 1']);
  });

  it.each<Query>([{}, { order: 'desc' }])(
    'has pages by after and by offset for %j',
    async (sorting) => {
      const names = ['a', 'B', 'ä', '\u{1f600}', '%', '/', '"', "'", ' x ', 'b'];
      const links = names.map((_, index) => names.slice(index));
      const { caller } = await withLinks(...links);
      const all = await listed(caller, sorting);
      expect(all).toHaveLength(names.length);
      const byAfter: string[] = [];
      let after: string | null = null;
      do {
        const query: Query = { ...sorting, limit: 3, ...(after !== null && { after }) };
        const { data } = await caller.call('listTags', { query });
        expect(data.total).toBe(names.length);
        expect(data.offset).toBe(byAfter.length);
        byAfter.push(...data.items.map(({ name, linkCount }) => `${name} ${linkCount}`));
        after = data.nextAfter;
      } while (after !== null);
      expect(byAfter).toEqual(all);
      expect(await listed(caller, { ...sorting, limit: 4, offset: 3 })).toEqual(all.slice(3, 7));
    },
  );

  it('continues after a tag that has been removed', async () => {
    const { caller } = await withLinks(['a', 'b', 'c']);
    const { data } = await caller.call('listTags', { query: { limit: 2 } });
    await remove(caller, 'b');
    expect(await listed(caller, { after: data.nextAfter as string })).toEqual(['c 1']);
  });
});

describe('PATCH /api/v1/tags/{tag}', () => {
  it('renames the tag on every link, in its place', async () => {
    const { caller, ids } = await withLinks(['x', 'old', 'y'], ['old'], ['Old', 'older']);
    const { data } = await rename(caller, 'old', 'new');
    expect(data).toEqual({ name: 'new', updatedCount: 2, isComplete: true });
    expect(await tagsOf(caller, ids)).toEqual([['x', 'new', 'y'], ['new'], ['Old', 'older']]);
  });

  it('merges into an existing tag', async () => {
    const { caller, ids } = await withLinks(['a', 'b'], ['a'], ['b'], ['b', 'x', 'a']);
    expect((await rename(caller, 'a', 'b')).data.updatedCount).toBe(3);
    expect(await tagsOf(caller, ids)).toEqual([['b'], ['b'], ['b'], ['b', 'x']]);
    expect(await listed(caller)).toEqual(['b 4', 'x 1']);
  });

  it('lets searches and filters find the links by the new name only', async () => {
    const { caller, ids } = await withLinks(['spring sale']);
    await rename(caller, 'spring sale', 'Autumn');
    const find = async (query: Query) =>
      (await caller.call('listUrls', { query })).data.items.map(({ id }) => id);
    expect(await find({ tag: 'Autumn' })).toEqual(ids);
    expect(await find({ search: 'autumn' })).toEqual(ids);
    expect(await find({ tag: 'spring sale' })).toEqual([]);
    expect(await find({ search: 'spring' })).toEqual([]);
  });

  it('gives changed links a new version, sends no event, and leaves other links', async () => {
    const { caller, ids } = await withLinks(['old'], ['other']);
    const read = (id: string | undefined) =>
      caller.call('getUrl', { params: { id: id as string } });
    const before = await Promise.all(ids.map(read));
    await rename(caller, 'old', 'new');
    const after = await Promise.all(ids.map(read));
    expect(after[0]?.headers.get('etag')).not.toBe(before[0]?.headers.get('etag'));
    expect(after[0]?.data).toEqual({
      ...before[0]?.data,
      tags: ['new'],
      updatedAt: expect.any(String),
    });
    expect(after[1]?.data).toEqual(before[1]?.data);
    const { data } = await caller.call('listEvents', { query: { type: 'url.updated' } });
    expect(data.items).toEqual([]);
  });

  it.each(['a/b', '100%', '?x=1&y#z', ' blank ', 'Größe \u{1f600}', '\\', '\u{1f600}'.repeat(100)])(
    'takes the tag %j in the path',
    async (tag) => {
      const { caller, ids } = await withLinks([tag, 'a%b', 'a_b', 'aXb'], ['other']);
      expect((await rename(caller, tag, `${tag.slice(0, 90)}!`)).data.updatedCount).toBe(1);
      expect((await rename(caller, `${tag.slice(0, 90)}!`, tag)).data.updatedCount).toBe(1);
      expect((await remove(caller, tag)).data.updatedCount).toBe(1);
      expect(await tagsOf(caller, ids)).toEqual([['a%b', 'a_b', 'aXb'], ['other']]);
    },
  );

  it('responds with 404 for a tag that no link has, in its exact case', async () => {
    const { caller } = await withLinks(['Old']);
    expect((await rename(caller, 'old', 'new')).outcome).toBe('404 NOT_FOUND');
    expect((await rename(caller, 'Ol', 'new')).outcome).toBe('404 NOT_FOUND');
  });

  it('changes no link of another organization', async () => {
    const { caller } = await withLinks(['shared', 'own']);
    const other = await withLinks(['shared', 'theirs']);
    expect((await rename(caller, 'theirs', 'mine')).outcome).toBe('404 NOT_FOUND');
    expect((await rename(caller, 'shared', 'renamed')).data.updatedCount).toBe(1);
    expect((await remove(caller, 'theirs')).outcome).toBe('404 NOT_FOUND');
    expect(await listed(other.caller)).toEqual(['shared 1', 'theirs 1']);
    expect(await listed(caller)).toEqual(['own 1', 'renamed 1']);
  });
});

it('DELETE /api/v1/tags/{tag} removes the tag from every link, and no link', async () => {
  const { caller, ids } = await withLinks(['a', 'b'], ['a'], ['c']);
  const { data } = await remove(caller, 'a');
  expect(data).toEqual({ name: 'a', updatedCount: 2, isComplete: true });
  expect(await tagsOf(caller, ids)).toEqual([['b'], [], ['c']]);
  expect((await remove(caller, 'a')).outcome).toBe('404 NOT_FOUND');
});
