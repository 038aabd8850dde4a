import { afterAll, describe, expect, it } from 'vitest';
import { untilStored } from './stored-visits.js';
import { agents, startVisitedServer } from './visited-server.js';

const api = await startVisitedServer({ countryHeader: 'cf-ipcountry' });
afterAll(() => api.stop());

const own = 'https://example.com/own';
const to = (path: string) => `https://example.com/${path}`;

interface Visit {
  readonly country?: string;
  readonly language?: string;
  readonly agent?: keyof typeof agents;
  readonly address?: string;
  readonly query?: string;
  readonly referer?: string;
}

let visitCount = 0;

async function visit(key: string, { query = '', ...visitor }: Visit = {}) {
  const { country, language, agent = 'firefox', address = '192.0.2.1', referer } = visitor;
  const response = await api.visit(`/${key}${query}`, {
    headers: {
      'user-agent': agents[agent],
      'x-forwarded-for': address,
      ...(country && { 'cf-ipcountry': country }),
      ...(language && { 'accept-language': language }),
      ...(referer && { referer }),
    },
  });
  visitCount += 1;
  return response;
}

const locationOf = async (key: string, visitor?: Visit) =>
  (await visit(key, visitor)).headers.get('location');

async function create(rules: readonly object[], fields: object = {}) {
  const created = await api.createLink({ targetUrl: own, rules, ...fields });
  return await api.getLink(created.id);
}

const update = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });

/** Waits until all visits are stored, and returns the report of a link. */
async function clicksOf(id: string, query: Record<string, string | string[]> = {}) {
  await untilStored(api.server.database, visitCount);
  api.clock.advance(1);
  return (await api.call('getUrlClicks', { params: { id }, query })).data;
}

const campaign = [
  { name: 'german', when: { language: 'de', country: ['DE', 'AT'] }, targetUrl: to('de') },
  { name: 'iphone', when: { os: 'iOS', device: 'mobile' }, targetUrl: to('app') },
  { when: { query: { ref: 'mail' }, referrer: 'news.example' }, targetUrl: to('mail') },
];

describe('a link with rules', () => {
  it('leads each visit to the target of the first rule that matches, otherwise to its own', async () => {
    const { id, shortCode } = await create(campaign, { utmSource: 'poster', redirectType: 301 });
    const german = { country: 'DE', language: 'de-DE,en' };
    const utm = '?utm_source=poster';
    expect(await locationOf(shortCode, german)).toBe(to(`de${utm}`));
    expect(await locationOf(shortCode, { ...german, agent: 'iphone' })).toBe(to(`de${utm}`));
    expect(await locationOf(shortCode, { agent: 'iphone' })).toBe(to(`app${utm}`));
    const mail = { query: '?a=1&ref=mail', referer: 'https://www.daily.news.example/a' };
    expect(await locationOf(shortCode, mail)).toBe(to(`mail${utm}`));
    expect(await locationOf(shortCode, { ...german, country: 'FR' })).toBe(own + utm);
    const plain = await visit(shortCode);
    expect(plain.headers.get('location')).toBe(own + utm);
    // A browser that caches the redirect would ignore the rules.
    expect([plain.status, plain.headers.get('cache-control')]).toEqual([301, 'no-store']);

    const { breakdowns, totals } = await clicksOf(id);
    expect(totals.totalClicks).toBe(6);
    expect(breakdowns.variant).toMatchObject([
      { variant: '(default)', clicks: 2 },
      { variant: 'german', clicks: 2 },
      { variant: '3', clicks: 1 },
      { variant: 'iphone', clicks: 1 },
    ]);
    expect(breakdowns.utmSource).toMatchObject([{ utmSource: 'poster', clicks: 6 }]);
    const totalOf = async (variant: string | string[]) =>
      (await clicksOf(id, { variant })).totals.totalClicks;
    expect(await totalOf('GERMAN')).toBe(2);
    expect(await totalOf(['(default)', '3'])).toBe(3);

    // A change applies to the next visit.
    await update(id, { rules: null });
    const after = await visit(shortCode, german);
    expect(after.headers.get('location')).toBe(own + utm);
    expect(after.headers.get('cache-control')).toBe('private, max-age=90');
  });

  it('divides visitors among variants, and the report equals the visits', async () => {
    const variants = [
      { targetUrl: to('a'), weight: 1 },
      { targetUrl: to('b'), weight: 2 },
    ];
    const { id, shortCode } = await create([
      { name: 'german', when: { country: 'DE' }, targetUrl: to('de') },
      { name: 'test', when: {}, variants },
    ]);
    const addressOf = (index: number) => `198.51.${Math.floor(index / 250)}.${(index % 250) + 1}`;
    const seen = new Map<string | null, number>();
    const first = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        locationOf(shortCode, { address: addressOf(index) }),
      ),
    );
    for (const location of first) seen.set(location, (seen.get(location) ?? 0) + 1);
    expect(seen.get(to('b'))).toBeGreaterThan(50);
    expect(seen.get(to('a'))).toBeGreaterThan(10);
    // Visitors keep their variant, also when other rules change.
    await update(id, { rules: [{ name: 'other', when: {}, variants }] });
    for (const index of [0, 1, 2, 3, 4, 5, 119]) {
      expect(await locationOf(shortCode, { address: addressOf(index) })).toBe(first[index]);
    }
    const { breakdowns } = await clicksOf(id);
    const counts = Object.fromEntries(
      breakdowns.variant.map((each) => [each.variant, each.clicks]),
    );
    expect(counts).toMatchObject({ 'test/1': seen.get(to('a')), 'test/2': seen.get(to('b')) });
    expect((counts['other/1'] ?? 0) + (counts['other/2'] ?? 0)).toBe(7);
  });

  it('leads to the target of a rule after the password', async () => {
    const body = { isPasswordProtected: true, password: 'open sesame' };
    const { shortCode } = await create([{ when: {}, targetUrl: to('inside') }], body);
    const response = await api.visit(`/${shortCode}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': agents.firefox },
      body: JSON.stringify({ password: 'open sesame' }),
    });
    visitCount += 1;
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(to('inside'));
  });
});

describe('rules in the API', () => {
  it('are in the record and events, and in bulk requests', async () => {
    const { data } = await api.call('bulkCreateUrls', {
      body: {
        urls: [
          { targetUrl: own, tags: ['ruled'], rules: [{ when: { os: 'iOS' }, targetUrl: to('i') }] },
        ],
      },
    });
    const id = data.created[0]?.id as string;
    const stored = [{ when: { os: ['iOS'] }, targetUrl: to('i') }];
    expect((await api.getLink(id)).rules).toEqual(stored);

    const renamed = [{ name: 'apple', when: { os: 'iOS' }, targetUrl: to('i') }];
    const bulk = { body: { updates: [{ id, rules: renamed }] } };
    expect((await api.call('bulkUpdateUrls', bulk)).data.updatedCount).toBe(1);
    const { updatedAt } = await api.getLink(id);
    // The same rules in another form change nothing.
    expect((await update(id, { rules: renamed })).data.updatedAt).toBe(updatedAt);
    const { items } = (await api.call('listEvents', { query: { type: 'url.updated' } })).data;
    expect(items.filter((event) => event.data.id === id)).toMatchObject([
      { data: { rules: [{ name: 'apple', when: { os: ['iOS'] } }] } },
    ]);
  });

  it('that lead to a blocked host take the link down', async () => {
    const rules = [{ when: { country: 'DE' }, targetUrl: 'https://a.evil.example/' }];
    const { shortCode } = await create(rules);
    await api.operator.call('blockHost', { body: { host: 'evil.example', reason: 'phishing' } });
    for (const country of ['DE', 'AT']) {
      const response = await api.visit(`/${shortCode}`, { headers: { 'cf-ipcountry': country } });
      expect(response.status).toBe(451);
    }
  });
});

describe('GET /urls/{id}/rules/test', () => {
  const test = async (id: string, query: Record<string, string>) =>
    (await api.call('testUrlRules', { params: { id }, query })).data;

  it('says where the rules lead a visit, and why earlier rules do not match', async () => {
    const variants = [
      { targetUrl: to('a'), weight: 1 },
      { targetUrl: to('b'), weight: 3 },
    ];
    const { id } = await create([...campaign, { when: { before: '2040-01-01' }, variants }], {
      utmSource: 'poster',
    });
    expect(await test(id, { country: 'de', language: 'de-AT' })).toEqual({
      rule: 'german',
      outcomes: [{ variant: 'german', location: to('de?utm_source=poster'), share: 1 }],
      skipped: [],
    });
    expect(await test(id, { os: 'ios', device: 'mobile' })).toMatchObject({ rule: 'iphone' });
    const mail = { query: 'ref=mail', referrer: 'www.news.example' };
    expect(await test(id, mail)).toMatchObject({ rule: '3' });
    expect(await test(id, { device: 'mobile' })).toEqual({
      rule: '4',
      outcomes: [
        { variant: '4/1', location: to('a?utm_source=poster'), share: 0.25 },
        { variant: '4/2', location: to('b?utm_source=poster'), share: 0.75 },
      ],
      skipped: [
        { rule: 'german', condition: 'country' },
        { rule: 'iphone', condition: 'os' },
        { rule: '3', condition: 'query' },
      ],
    });
    expect(await test(id, { at: '2040-01-01' })).toMatchObject({
      rule: null,
      outcomes: [{ variant: '(default)', location: `${own}?utm_source=poster`, share: 1 }],
    });
  });
});
