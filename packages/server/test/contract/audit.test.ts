import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, callerOf } from '../api/start-server.js';
import { World } from '../isolation/world.js';

// writes.test.ts has the entry of each write.
const world = await World.start();
afterAll(() => world.api.stop());

describe('an entry', () => {
  const list = async (caller: Caller, query = {}) =>
    (await caller.call('listAuditEntries', { query })).data.items;

  it('is not made of a bulk create of which no link was made', async () => {
    const caller = await world.newcomer();
    const body = { urls: [{ targetUrl: 'not-a-url' }] };
    expect((await caller.call('bulkCreateUrls', { body })).status).toBe(207);
    expect(await list(caller)).toEqual([]);
  });

  it('tells who changed which fields, and no values', async () => {
    const caller = await world.newcomer();
    const data = await caller.createLink({ targetUrl: 'https://example.com/a-private-target' });
    world.api.clock.advance(1_000);
    const body = { title: 'a private title', isPasswordProtected: true, password: 'open sesame' };
    await caller.call('updateUrl', { params: { id: data.id }, body });
    const { data: page, text } = await caller.call('listAuditEntries');
    const common = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: caller.organizationId,
      actor: { type: 'client', id: expect.stringMatching(/^shorty_ci_/), name: null },
      address: expect.stringMatching(/^127\.0\.0\.1$|^::1$/),
      resource: { type: 'url', id: data.id },
      count: 1,
    };
    expect(page.items).toEqual([
      {
        ...common,
        createdAt: new Date(world.api.clock()).toISOString(),
        operation: 'updateUrl',
        fields: ['title', 'isPasswordProtected', 'password'],
      },
      { ...common, createdAt: data.createdAt, operation: 'createUrl', fields: [] },
    ]);
    expect(text).not.toMatch(/private|sesame/);
  });

  it('of a bulk request has the number of links', async () => {
    const caller = await world.newcomer();
    const urls = Array(3).fill({ targetUrl: 'https://example.com/' });
    const { data } = await caller.call('bulkCreateUrls', { body: { urls } });
    const ids = data.created.map(({ id }) => id);
    const updates = ids.slice(0, 2).map((id) => ({ id, title: 'new' }));
    await caller.call('bulkUpdateUrls', {
      body: { updates: [...updates, { id: '1', title: 'x' }] },
    });
    await caller.call('bulkDeleteUrls', { body: { ids: [...ids, '1'] } });
    // Changes no link.
    await caller.call('bulkDeleteUrls', { body: { ids } });
    await caller.call('bulkUpdateUrls', { body: { updates } });
    const entries = await list(caller);
    expect(
      entries.map(({ operation, count, resource }) => [operation, count, resource.id]),
    ).toEqual([
      ['bulkDeleteUrls', 3, null],
      ['bulkUpdateUrls', 2, null],
      ['bulkCreateUrls', 3, null],
    ]);
  });

  it('names an API key, and the organization of a record that the operator changed', async () => {
    const caller = await world.newcomer();
    const { data: key } = await caller.call('createApiKey', { body: { name: 'a key' } });
    const byKey = callerOf(world.api.server.url, key.key, caller.organizationId);
    const url = await byKey.createLink();
    const body = { shortUrl: url.shortUrl, reason: 'phishing' };
    await world.api.operator.call('takeDownUrl', { body });
    const entries = await list(caller);
    expect(entries.map(({ operation, actor }) => [operation, actor])).toEqual([
      ['takeDownUrl', { type: 'operator', id: null, name: null }],
      ['createUrl', { type: 'apiKey', id: key.id, name: null }],
      ['createApiKey', { type: 'client', id: expect.any(String), name: null }],
    ]);
    // The address of the operator is the operator's alone.
    expect(entries[0]?.address).toBeNull();
    const query = { organizationId: caller.organizationId };
    const { data } = await world.api.operator.call('listAllAuditEntries', { query });
    expect(data.items[0]).toEqual({ ...entries[0], address: expect.any(String) });
    expect((await byKey.call('listAuditEntries')).outcome).toBe('403 INSUFFICIENT_SCOPE');
  });

  it('remains after the change when the response is lost, and not when the change is undone', async () => {
    const caller = await world.newcomer();
    // Both writes share a transaction, and the second one is refused.
    const body = { targetUrl: 'https://example.com/', customSlug: 'shared-commit' };
    const responses = await Promise.all([
      caller.call('createUrl', { body }),
      caller.call('createUrl', { body }),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await list(caller)).toHaveLength(1);
  });
});

describe('the list', () => {
  let caller: Caller;
  let ids: string[];
  beforeAll(async () => {
    caller = await world.newcomer();
    ids = [];
    for (let at = 0; at < 8; at += 1) {
      const body = { targetUrl: 'https://example.com/' };
      ids.push((await caller.createLink(body)).id);
      // Some entries have the same time.
      if (at % 4 === 3) world.api.clock.advance(1_000);
    }
  });

  it('is filtered by time, actor, operation and record', async () => {
    const all = (await caller.call('listAuditEntries', { query: { limit: 100 } })).data.items;
    const { createdAt, actor } = all.at(-5) as (typeof all)[number];
    const find = async (query: Record<string, string>) =>
      (await caller.call('listAuditEntries', { query: { limit: 100, ...query } })).data.items;
    expect(await find({ since: createdAt })).toEqual(
      all.filter((each) => each.createdAt >= createdAt),
    );
    expect(await find({ until: createdAt })).toEqual(
      all.filter((each) => each.createdAt < createdAt),
    );
    expect(await find({ actor: actor.id ?? '' })).toEqual(all);
    expect(await find({ actor: 'operator' })).toEqual([]);
    expect(await find({ operation: 'createUrl' })).toEqual(all);
    expect(await find({ operation: 'updateUrl' })).toEqual([]);
    expect(await find({ resource: ids[3] as string })).toEqual([
      all.find(({ resource }) => resource.id === ids[3]),
    ]);
  });
});
