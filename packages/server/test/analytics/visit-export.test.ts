import { afterAll, describe, expect, it } from 'vitest';
import { clickDimensions, type Dimension } from '../../src/analytics/reports/dimensions.js';
import { type agents, startVisitedServer } from './visited-server.js';

type Query = Readonly<Record<string, string | number | readonly string[]>>;
type Line = Readonly<Record<string, string | number | null>>;

const api = await startVisitedServer();
const menu = await api.createLink({ customSlug: 'menu', tags: ['print'] });
await api.call('createQr', { body: { urlId: menu.id } });
const other = await api.createLink({ utmSource: 'newsletter' });
const { shortCode: code } = menu;
const keys = [code, 'menu', other.shortCode, `${other.shortCode}?utm_source=Own`];
const agentNames: (keyof typeof agents)[] = ['firefox', 'iphone', 'android', 'wechat', 'bot'];
for (let at = 0; at < 40; at += 1) {
  // Several visits have the same time, and some are equal.
  if (at % 4 === 0) api.clock.advance(60_000);
  await api.visitAs(keys[at % keys.length] as string, {
    agent: agentNames[at % agentNames.length] as keyof typeof agents,
    address: `192.0.2.${at % 7}`,
    ...(at % 3 === 0 && { referer: 'https://www.google.com/search?q=a' }),
  });
}
api.clock.advance(1);
await api.settle();
afterAll(() => api.stop());

async function readPages(query: Query = {}): Promise<{ lines: Line[]; pages: number }> {
  const caller = await api.freshCaller();
  let text = '';
  let pages = 0;
  let after: string | null | undefined;
  do {
    const position: Query = after ? { after } : {};
    const { data } = await caller.call('exportVisits', { query: { ...query, ...position } });
    expect(data.text.split('\n')).toHaveLength(data.count + 1);
    text += data.text;
    pages += 1;
    after = data.nextAfter;
  } while (after);
  const lines = text.split('\n').slice(0, -1);
  return { lines: lines.map((line) => JSON.parse(line)), pages };
}

/** Counts the lines with each value of a breakdown. */
function countBy(lines: readonly Line[], fields: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of lines) {
    const value = fields.map((field) => line[field]).join(' ');
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

describe('GET /api/v1/visits', () => {
  it('has as many lines with each value as the overview counts', async () => {
    const { lines } = await readPages();
    const { data } = await (await api.freshCaller()).call('getAnalyticsOverview');
    expect(lines).toHaveLength(data.totals.totalClicks);
    for (const [name, { fields }] of Object.entries<Dimension>(clickDimensions)) {
      const { [name]: breakdown = [] } = data.breakdowns as Record<string, readonly Line[]>;
      const reported = breakdown.map((entry) => [
        fields.map((field) => entry[field]).join(' '),
        entry.clicks,
      ]);
      expect(countBy(lines, fields), name).toEqual(Object.fromEntries(reported));
    }
    const { scan = 0 } = countBy(lines, ['method']);
    const { proven = 0, inferred = 0 } = countBy(lines, ['certainty']);
    const { totalScans, provenScans, inferredScans } = data.totals;
    expect({ scan, proven, inferred }).toEqual({
      scan: totalScans,
      proven: provenScans,
      inferred: inferredScans,
    });
    expect(scan).toBeGreaterThan(0);
    const times = lines.map(({ visitedAt }) => visitedAt as string);
    expect(times).toEqual([...times].sort());
  });

  it('names the link and nothing that identifies the visitor', async () => {
    const { lines } = await readPages({ urlId: menu.id, scanMethod: 'app_scanner' });
    expect(lines[0]).toEqual({
      visitedAt: expect.stringMatching(/^2030-.*Z$/),
      variant: '(default)',
      urlId: menu.id,
      shortCode: menu.shortCode,
      customSlug: 'menu',
      method: 'scan',
      country: 'Unknown',
      region: 'Unknown',
      city: 'Unknown',
      deviceType: 'mobile',
      browser: expect.any(String),
      os: 'iOS',
      referrerType: expect.any(String),
      referrerDomain: expect.any(String),
      language: 'Unknown',
      utmSource: '(none)',
      utmMedium: '(none)',
      utmCampaign: '(none)',
      utmTerm: '(none)',
      utmContent: '(none)',
      scanMethod: 'app_scanner',
      scannerApp: 'WeChat',
      certainty: 'proven',
    });
    const { lines: all } = await readPages();
    expect(all.filter(({ method }) => method === 'click')[0]).toMatchObject({
      scanMethod: null,
      scannerApp: null,
      certainty: null,
    });
  });

  it.each([1, 3, 7, 100])('returns the same lines in pages of %d', async (limit) => {
    const whole = await readPages();
    const { lines, pages } = await readPages({ limit });
    expect(lines).toEqual(whole.lines);
    expect(pages).toBe(Math.ceil(lines.length / limit));
  });

  it('selects visits by window, link, tag and each filter of reports', async () => {
    const { lines } = await readPages();
    const visitedAt = lines[10]?.visitedAt as string;
    const filters: readonly [Query, (line: Line) => boolean][] = [
      [{ since: visitedAt }, (line) => (line.visitedAt as string) >= visitedAt],
      [{ until: visitedAt }, (line) => (line.visitedAt as string) < visitedAt],
      [{ tag: 'print' }, ({ urlId }) => urlId === menu.id],
      [{ urlId: other.id }, ({ urlId }) => urlId === other.id],
      [{ device: 'mobile', os: ['iOS', 'Windows'] }, ({ os }) => os === 'iOS'],
      [{ referrerType: 'search' }, ({ referrerType }) => referrerType === 'search'],
      [{ utmSource: 'own' }, ({ utmSource }) => utmSource === 'own'],
      [{ scanMethod: 'camera' }, ({ scanMethod }) => scanMethod === 'camera'],
    ];
    for (const [query, isSelected] of filters) {
      const selected = lines.filter(isSelected);
      expect(selected.length, JSON.stringify(query)).toBeGreaterThan(0);
      expect((await readPages(query)).lines, JSON.stringify(query)).toEqual(selected);
    }
  });
});
