import { describe, expect, it } from 'vitest';
import { startForFile, startForTest } from './start-server.js';
import { followHost } from './visit-host.js';

const api = await startForFile();

const target = (name: string) => `https://example.com/${name}`;
const create = (body: object) => api.createLink({ targetUrl: target('page'), ...body });

const follow = (path: string, { server } = api) =>
  followHost(server.url, new URL(server.url).host, path);

const accepted = ['1', '.dots..', 'team/2024/q1', 'x'.repeat(100)];

describe('importedCode', () => {
  it.each(accepted)('%s becomes the short code, and leads to the target', async (importedCode) => {
    const created = await create({ importedCode, targetUrl: target(importedCode) });
    expect(created).toMatchObject({ shortCode: importedCode, customSlug: null });
    expect(created.shortUrl.endsWith(`/${importedCode}`)).toBe(true);
    expect(await follow(`/${importedCode}`)).toBe(target(importedCode));
    expect(await follow(`/${importedCode}/`)).toBe(target(importedCode));
    const { data } = await api.call('lookupUrl', { query: { shortUrl: created.shortUrl } });
    expect(data.id).toBe(created.id);
    const alone = await api.call('lookupUrl', { query: { shortUrl: importedCode } });
    expect(alone.data.id).toBe(created.id);
  });

  it.each(['', 'a//b', 'a/..', 'a%2Fb', 'x'.repeat(101)])('refuses %j', async (importedCode) => {
    const { status, error } = await api.call('createUrl', {
      body: { targetUrl: target('page'), importedCode },
    });
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it.each(['API/x', 'docs/page', '.well-known/x'])(
    'refuses the reserved word in %s',
    async (importedCode) => {
      const { error } = await api.call('createUrl', {
        body: { targetUrl: target('page'), importedCode },
      });
      expect(error?.code).toBe('SLUG_RESERVED');
      expect(error?.message).toContain('importedCode');
    },
  );

  it('shares its namespace with slugs', async () => {
    await create({ importedCode: 'taken-code' });
    await create({ customSlug: 'taken-slug' });
    for (const body of [
      { importedCode: 'taken-code' },
      { importedCode: 'taken-slug' },
      { customSlug: 'taken-code' },
      { customSlug: 'both-same', importedCode: 'both-same' },
    ]) {
      const { error } = await api.call('createUrl', {
        body: { targetUrl: target('page'), ...body },
      });
      expect(error?.code).toBe('SLUG_CONFLICT');
    }
  });

  it('can stand beside a slug', async () => {
    const created = await create({ importedCode: 'old_code', customSlug: 'new-slug' });
    expect(created).toMatchObject({ shortCode: 'old_code', customSlug: 'new-slug' });
    expect(await follow('/old_code')).toBe(target('page'));
    expect(await follow('/new-slug')).toBe(target('page'));
  });

  it('stays with an upsert, and is no field of a PATCH', async () => {
    const params = { externalId: 'imported-1' };
    const body = {
      targetUrl: target('page'),
      importedCode: 'up/sert',
      importedCreatedAt: '2020-02-03T04:05:06Z',
    };
    const first = await api.call('upsertUrl', { params, body });
    const again = await api.call('upsertUrl', { params, body });
    expect([first.status, again.status]).toEqual([201, 200]);
    const other = await api.call('upsertUrl', { params, body: { ...body, importedCode: 'other' } });
    expect(other.error?.code).toBe('VALIDATION_FAILED');
    for (const patch of [{ importedCode: 'x' }, { importedCreatedAt: '2020-01-01' }]) {
      const { error } = await api.call('updateUrl', {
        params: { id: first.data.id },
        body: patch as object,
      });
      expect(error?.code).toBe('VALIDATION_FAILED');
      expect(JSON.stringify(error)).toContain(Object.keys(patch)[0]);
    }
  });

  it('is what ifExists compares', async () => {
    const link = { targetUrl: target('if-exists'), ifExists: 'return' };
    const first = await create({ ...link, importedCode: 'exists/1' });
    expect((await create({ ...link, importedCode: 'exists/1' })).id).toBe(first.id);
    expect((await create({ ...link, importedCode: 'exists/2' })).id).not.toBe(first.id);
  });

  it('is found by its longest match', async () => {
    await create({ customSlug: 'blog', targetUrl: target('blog'), forwardPath: true });
    expect(await follow('/blog/post/1')).toBe(target('blog/post/1'));
    await create({ importedCode: 'blog/post', targetUrl: target('post') });
    expect(await follow('/blog/post')).toBe(target('post'));
    // It does not forward its path.
    expect(await follow('/blog/post/1')).toBe(target('blog/post/1'));
    await create({ importedCode: 'blog/post/2', targetUrl: target('two'), forwardPath: true });
    expect(await follow('/blog/post/2/more')).toBe(target('two/more'));
    expect(await follow('/blog/other')).toBe(target('blog/other'));
    expect(await follow('/%62log/p%6Fst')).toBe(target('post'));
    expect(await follow('/blog%2Fpost')).toBe(404);
    expect(await follow('/nothing/there')).toBe(404);
  });

  it('is found in any case on a server that ignores it', async () => {
    const folding = await startForTest({ ignoreCase: true });
    const make = async (body: object) =>
      await folding.createLink({ targetUrl: target('page'), ...body });
    await make({ importedCode: 'Team/Plan_A', targetUrl: target('plan') });
    await make({ importedCode: 'Team/Wiki', targetUrl: target('wiki'), forwardPath: true });
    expect(await follow('/team/PLAN_a', folding)).toBe(target('plan'));
    expect(await follow('/TEAM/wiki/Page', folding)).toBe(target('wiki/Page'));
    const body = { targetUrl: target('other'), importedCode: 'team/plan_a' };
    expect((await folding.call('createUrl', { body })).outcome).toBe('409 SLUG_CONFLICT');
  });

  it('asks for the password of its link', async () => {
    await create({ importedCode: 'team/secret', isPasswordProtected: true, password: 'open' });
    const unlocked = await fetch(`${api.server.url}/team/secret`, {
      method: 'POST',
      body: new URLSearchParams({ password: 'open' }),
      redirect: 'manual',
    });
    expect(unlocked.headers.get('location')).toBe(target('page'));
  });

  it('stands in QR codes', async () => {
    const { id, shortUrl } = await create({ importedCode: 'printed/code.1' });
    const { data } = await api.call('createQr', { body: { urlId: id } });
    expect(data.qrData).toBe(shortUrl);
  });
});

describe('importedCreatedAt', () => {
  it('becomes createdAt, by which lists are sorted', async () => {
    const importedCreatedAt = '2019-05-06T07:08:09.000Z';
    const created = await create({ importedCreatedAt });
    expect(created.createdAt).toBe(importedCreatedAt);
    const data = await api.getLink(created.id);
    expect(data.createdAt).toBe(importedCreatedAt);
    const list = await api.call('listUrls', { query: { createdUntil: '2019-12-31' } });
    expect(list.data.items.map(({ id }: { id: string }) => id)).toEqual([created.id]);
  });

  it.each(['2999-01-01', '1969-12-31', 'yesterday'])('refuses %s', async (importedCreatedAt) => {
    const { error } = await api.call('createUrl', {
      body: { targetUrl: target('page'), importedCreatedAt },
    });
    expect(error?.code).toBe('VALIDATION_FAILED');
  });
});
