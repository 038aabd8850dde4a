import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const targetUrl = 'https://example.com/';

const api = await startForFile();
const id = (await api.createLink()).id;

const half = '\ud83d';

// Values that their type allows. contract-properties.test.ts has what openapi.yaml does not allow.
const refused: Record<string, unknown[]> = {
  targetUrl: ['', ' https://example.com/', 'https://example.com/ '],
  customSlug: [`ab${half}`],
  title: ['a\u202eb', 'a\u0000b', half, 'a\u0085b'],
  description: ['a\u0000b', 'a\u001bb', half],
  category: ['a\u2067b', half],
  expiresAt: ['', 'tomorrow', '2030-02-30T00:00:00Z', ' 2030-12-31', '9999-12-31T23:59:59-01:00'],
  expiredUrl: ['', ' https://example.com/', 'ftp://example.com/'],
  utmSource: ['', 'a\nb', 'a\tb', 'a\0b', 'a\u007f', 'a\u0085', half],
  sourceDomain: ['a\nb', half],
  rules: [7, {}, [7], [{}], [{ when: {} }]],
};

const cases = Object.entries(refused).flatMap(([field, values]) =>
  values.map((value): [string, unknown] => [field, value]),
);

/** Returns the fields of paths. That of a rule or of its condition starts with `rules`. */
const fieldsOf = (paths: readonly string[]) => paths.map((path) => path.split(/[.[]/)[0]);

describe('wrong values', () => {
  it.each(cases)('create and PATCH refuse %s %j and name it', async (field, value) => {
    const created = await api.call('createUrl', { body: { targetUrl, [field]: value } });
    expect(created.outcome).toBe('400 VALIDATION_FAILED');
    expect(fieldsOf(created.invalidFields)).toContain(field);
    expect(created.error.message).toContain(field);
    const patched = await api.call('updateUrl', { params: { id }, body: { [field]: value } });
    expect(patched.outcome).toBe('400 VALIDATION_FAILED');
    expect(fieldsOf(patched.invalidFields)).toContain(field);
  });

  it.each([
    [{ tags: ['fine', 7] }, 'tags[1]'],
    [{ tags: ['a\nb'] }, 'tags[0]'],
    [{ customUtmParams: { a: 'x\ny' } }, 'customUtmParams.a'],
    [{ customUtmParams: { '\ud800': 'x' } }, 'customUtmParams.\ud800'],
  ])('refuses %j and names %s', async (body, path) => {
    const response = await api.call('createUrl', { body: { targetUrl, ...body } });
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual([path]);
  });

  it('names all invalid fields in one response', async () => {
    const response = await api.call('createUrl', {
      body: { targetUrl: 'x', title: 7, tags: [1], nonsense: true },
    });
    expect(new Set(response.invalidFields)).toEqual(
      new Set(['targetUrl', 'title', 'tags[0]', 'nonsense']),
    );
  });
});

describe('targetUrl', () => {
  const create = (target: string) => api.call('createUrl', { body: { targetUrl: target } });

  it.each([
    [
      'https://bücher.example/straße?q=ä#ö',
      'https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4#%C3%B6',
    ],
    ['HTTPS://EXAMPLE.COM', 'https://example.com/'],
    ['http://example.com:80/a/../b', 'http://example.com/b'],
    ['https://example.com/a b', 'https://example.com/a%20b'],
    ['https://example.com\\a', 'https://example.com/a'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['https://example.com/?a=1&a=2&%zz', 'https://example.com/?a=1&a=2&%zz'],
    ['https://example.com/?q=\'<>"', 'https://example.com/?q=%27%3C%3E%22'],
  ])('returns %s as it was sent; Location is one ASCII line', async (target, location) => {
    const { data } = await create(target);
    expect(data.targetUrl).toBe(target);
    const response = await api.visit(`/${data.shortCode}`);
    expect(response.headers.get('location')).toBe(location);
  });
});

const create = (body: object) => api.call('createUrl', { body: { targetUrl, ...body } });
const patch = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });

describe('a target on a host of short links', () => {
  const { port } = new URL(api.server.url);

  it.each<[string, () => string]>([
    ['as it is', () => `${api.server.url}/sale`],
    ['in capitals, with a final dot', () => `HTTP://LOCALHOST.:${port}/sale`],
    ['in full-width letters', () => `http://ｌｏｃａｌｈｏｓｔ:${port}/sale`],
    ['by IPv6 that maps loopback', () => `http://[::ffff:127.0.0.1]:${port}/sale`],
    ['by another address of loopback', () => `http://127.0.0.2:${port}/sale`],
    ['with the host encoded', () => `http://local%68ost:${port}/sale`],
    ['with a user name', () => `http://user@localhost:${port}/sale`],
  ])('is refused %s', async (_name, target) => {
    const targetUrl = target();
    const refused = await create({ targetUrl });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.error.message).toBe(
      `targetUrl ${targetUrl} must not lead to a host of short links on this server: use the address that visitors should see`,
    );
    const data = await api.createLink();
    expect((await patch(data.id, { targetUrl })).invalidFields).toEqual(['targetUrl']);
  });

  it('is accepted on another port of this machine', async () => {
    expect((await create({ targetUrl: 'http://localhost:9/sale' })).status).toBe(201);
  });

  it('is refused on an active custom domain, and accepted on a deleted one', async () => {
    const { data: domain } = await api.call('createDomain', { body: { hostname: 'own.example' } });
    const params = { id: domain.id };
    const targetUrl = 'https://OWN.example.:8443/sale';
    expect((await create({ targetUrl })).status).toBe(201);
    api.zone.set(domain.txtRecord.name, [domain.txtRecord.value]);
    await api.call('verifyDomain', { params });
    expect((await create({ targetUrl })).outcome).toBe('400 VALIDATION_FAILED');
    await api.call('deleteDomain', { params });
    expect((await create({ targetUrl })).status).toBe(201);
  });
});
