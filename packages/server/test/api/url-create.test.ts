import { describe, expect, it } from 'vitest';
import { startForFile, startForTest } from './start-server.js';

const target = 'https://example.com/spring?ref=mail#offers';

const api = await startForFile();

const create = (body: object) => api.call('createUrl', { body: { targetUrl: target, ...body } });

describe('POST /api/v1/urls', () => {
  it('returns id, shortCode, targetUrl, customSlug, shortUrl, organizationId and createdAt', async () => {
    const response = await create({});
    expect(response.status).toBe(201);
    const { id, shortCode, ...rest } = response.data;
    expect(id).toMatch(/^[1-9]\d*$/);
    expect(shortCode).toMatch(/^[A-Za-z0-9]{7}$/);
    expect(rest).toMatchObject({
      targetUrl: target,
      customSlug: null,
      shortUrl: `${api.server.url}/${shortCode}`,
      organizationId: api.organizationId,
      createdAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('requires targetUrl, and nothing else', async () => {
    const response = await api.call('createUrl', { body: {} });
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['targetUrl']);
    expect(response.error.message).toContain('targetUrl is required');
  });

  it('names the field that a misspelt one stands for, and lookup for an id that is a slug', async () => {
    const misspelt = await create({ slug: 'sale' });
    const hint = 'slug is not a known field here: did you mean customSlug?';
    expect(misspelt.error.message).toBe(hint);
    const read = await api.call('getUrl', { params: { id: 'sale' } });
    expect(read.error.message).toContain('lookup finds a link by its slug or short URL');
  });

  it('treats null in an optional field as a missing field', async () => {
    const optional = [
      ...['customSlug', 'title', 'description', 'category', 'tags', 'domainId', 'redirectType'],
      ...['expiresAt', 'isPasswordProtected', 'password', 'utmSource', 'customUtmParams'],
      ...['sourceDomain', 'isActive'],
    ];
    const { id } = (await create(Object.fromEntries(optional.map((name) => [name, null])))).data;
    const data = await api.getLink(id);
    expect(data).toMatchObject({ tags: [], customUtmParams: {}, redirectType: 307, title: null });
    expect(data.isActive).toBe(true);
  });

  it('stores every create field and returns all but the password in the full record', async () => {
    const fields = {
      customSlug: 'Every-Field',
      externalId: 'crm-1',
      forwardQuery: true,
      forwardPath: false,
      title: 'Spring “sale” 🌷',
      description: 'Two\nlines\tand a tab',
      category: 'campaigns',
      tags: ['launch', 'mail'],
      redirectType: 301,
      activatesAt: '2025-06-01T12:00:00.000Z',
      expiresAt: '2030-06-01T12:00:00.000Z',
      expiredUrl: 'https://example.com/over',
      maxClicks: 100,
      utmSource: 'news',
      utmMedium: 'email',
      utmCampaign: 'spring',
      utmTerm: 'tulips',
      utmContent: 'top',
      customUtmParams: { utm_id: 'abc.123', gclid: '' },
      sourceDomain: 'blog.example.com',
      importedClicks: 1204,
      rules: [{ name: 'german', when: { country: ['DE'] }, targetUrl: 'https://example.com/de' }],
      preview: { title: 'Sale', description: null, imageUrl: 'https://example.com/sale.png' },
    };
    const created = (
      await create({ ...fields, isPasswordProtected: true, password: 'open sesame' })
    ).data;
    const response = await api.call('getUrl', { params: { id: created.id } });
    expect(response.data).toEqual({
      ...fields,
      ...created,
      description: 'Two lines and a tab',
      domainId: null,
      isPasswordProtected: true,
      isActive: true,
      deletedAt: null,
      clickCount: 0,
      excludedClicks: 0,
      clicksLeft: 100,
      lastClickAt: null,
      takenDown: null,
      updatedAt: created.createdAt,
    });
    expect(response.text).not.toContain('sesame');
    expect(response.text).not.toContain('argon2');
  });

  it('stores a password only as a memory-hard hash', async () => {
    const { id } = (await create({ isPasswordProtected: true, password: 'open sesame' })).data;
    const row = await api.server.database.read
      .selectFrom('urls')
      .selectAll()
      .where('id', '=', Number(id))
      .executeTakeFirstOrThrow();
    expect(row.password_hash).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify(row)).not.toContain('sesame');
  });
});

describe('slug rules', () => {
  it.each(['abc', 'a-b', 'A1-b2-C3', 'x'.repeat(50), 'double--hyphen', '123'])(
    'accepts %s',
    async (customSlug) => {
      const response = await create({ customSlug });
      expect(response.status).toBe(201);
      expect(response.data.customSlug).toBe(customSlug);
    },
  );

  it.each([
    ['a trailing hyphen', 'abc-'],
    ['an underscore', 'a_b_c'],
    ['a slash', 'a/b'],
    ['a letter with an accent', 'café'],
    ['a line break at the end', 'abc\n'],
  ])('refuses %s', async (_, customSlug) => {
    const response = await create({ customSlug });
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(new Set(response.invalidFields)).toEqual(new Set(['customSlug']));
  });

  it('1. slugs on the platform domain are unique across organizations', async () => {
    await create({ customSlug: 'only-once' });
    const other = await api.newcomer('free');
    const response = await other.call('createUrl', {
      body: { targetUrl: target, customSlug: 'only-once' },
    });
    expect(response.outcome).toBe('409 SLUG_CONFLICT');
    expect(response.error.message).toContain('only-once');
  });

  it.each(['api', 'dAsHbOaRd'])('3. blocks the reserved slug %s', async (customSlug) => {
    const response = await create({ customSlug });
    expect(response.outcome).toBe('400 SLUG_RESERVED');
    expect(response.invalidFields).toEqual(['customSlug']);
  });

  it('lets exactly one of 64 concurrent creates have a slug', async () => {
    const responses = await Promise.all(
      Array.from({ length: 64 }, () => create({ customSlug: 'the-race' })),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(63);
  });
});

it('new links have short codes of the configured length and characters', async () => {
  const api = await startForTest({ codeLength: 4, codeAlphabet: 'readable' });
  const targetUrl = 'https://example.com/';
  const single = await api.call('createUrl', { body: { targetUrl } });
  const upserted = await api.call('upsertUrl', {
    params: { externalId: 'new' },
    body: { targetUrl },
  });
  const bulk = await api.call('bulkCreateUrls', { body: { urls: Array(98).fill({ targetUrl }) } });
  const links = [single.data, upserted.data, ...bulk.data.created];
  expect(new Set(links.map(({ shortCode }) => shortCode)).size).toBe(100);
  for (const { shortCode } of links) expect(shortCode).toMatch(/^[2-9a-hj-km-np-z]{4}$/);
  const visit = await api.visit(`/${single.data.shortCode}`);
  expect(visit.headers.get('location')).toBe(targetUrl);
});
