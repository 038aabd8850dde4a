import fc from 'fast-check';
import { expect } from 'vitest';
import { deleteOldVisits, retainedSince } from '../../src/analytics/ingest/delete-old-visits.js';
import { eraseVisits, markErased } from '../../src/analytics/ingest/erase-visits.js';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import { diagnoseVisits } from '../../src/analytics/reports/visit-doctor.js';
import {
  clicksModel,
  type ModelQr,
  type ModelQuery,
  type ModelUrl,
  type ModelVisit,
  overviewModel,
  scansModel,
  startOfDate,
} from './report-model.js';
import { storedVisits, visitRepositoryOn } from './stored-visits.js';
import { day, hour, makeVisit } from './visit-store.js';
import { startVisitedServer, type VisitedServer } from './visited-server.js';

// Most of them change clocks in the days of the visits.
const timezones = [
  ...['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Santiago'],
  ...['Africa/Cairo', 'Pacific/Chatham', 'America/Havana', 'America/New_York', 'Pacific/Apia'],
];
const bases = ['2030-03-24', '2030-04-01', '2030-04-20', '2030-08-30', '2030-10-24'];
const visitDays = 14;
const linkCount = 3;
// When the clock of the test server starts, and its organization is created.
const organizationAt = Date.UTC(2030, 0, 1);

const values = {
  country: ['DE', 'AT', 'Unknown'],
  region: ['de-be', 'US-New York', 'Unknown'],
  city: ['Berlin', 'New York', 'Unknown'],
  device: ['mobile', 'desktop', 'tablet'],
  browser: ['Firefox', 'Chrome', 'Mobile Safari'],
  os: ['Android', 'iOS', 'Linux'],
  referrerType: ['direct', 'search', 'other'],
  referrer: ['(direct)', 'google.com', 'a.example'],
  scanMethod: ['camera', 'file_upload', 'manual_entry', 'app_scanner'],
  scannerApp: ['Lens', '(none)', 'iOS Camera'],
  language: ['de', 'en', 'Unknown'],
  utmSource: ['Mail', 'mail', '(none)'],
  utmMedium: ['CPC', 'print', '(none)'],
  utmCampaign: ['spring', 'a b', '(none)'],
  utmTerm: ['shoes', 'Ä', '(none)'],
  utmContent: ['top', '(unknown)', '(none)'],
  variant: ['German/2', 'test', '(default)'],
} as const;
type FilterName = keyof typeof values;
const scanFilters = Object.keys(values) as FilterName[];
const clickFilters = scanFilters.filter((name) => !name.startsWith('scan'));

const oneOf = <Value>(list: readonly Value[]) => fc.constantFrom(...list);
const key = (number: number) => (number + 1).toString(16).padStart(16, '0');

const rarely = fc.nat(4).map((number) => number === 0);

const visit = fc.record({
  link: fc.nat(linkCount - 1),
  // Several visits are at the full hour, where buckets begin.
  at: fc.oneof(
    fc.integer({ min: 1, max: visitDays * day - 1 }),
    fc.integer({ min: 1, max: visitDays * 24 - 1 }).map((hours) => hours * hour),
  ),
  isByCode: fc.boolean(),
  variant: oneOf(['German/2', 'test', null, null]),
  facts: fc.record({
    kind: fc.nat(9).map((number) => (number > 0 ? 'human' : 'bot')),
    visitorKey: fc.option(fc.nat(9).map(key)),
    addressKey: fc.nat(6).map(key),
    country: oneOf(values.country),
    region: oneOf(['DE-BE', 'US-New York', null]),
    city: oneOf(['Berlin', 'New York', 'New Berlin', null]),
    deviceType: oneOf(values.device),
    browser: oneOf(values.browser),
    os: oneOf(values.os),
    referrerType: oneOf(values.referrerType),
    referrerDomain: oneOf(values.referrer),
    language: oneOf(['de', 'en', null]),
    scannerApp: oneOf(['Lens', null, null]),
    // A dedicated scanner, in an app, a referrer, an image search, an own navigation.
    evidence: fc
      .tuple(rarely, fc.boolean(), fc.boolean(), rarely, fc.boolean())
      .map((flags) => flags.reduce((sum, isSet, bit) => sum | (isSet ? 1 << bit : 0), 0)),
    campaign: fc
      .record(
        {
          utmSource: oneOf(['Mail', 'mail']),
          utmMedium: oneOf(['cpc', 'print']),
          utmCampaign: oneOf(['spring', 'a b']),
          utmTerm: oneOf(['Shoes', 'ä']),
          utmContent: oneOf(['top']),
        },
        { requiredKeys: [] },
      )
      .map((campaign) => (Object.keys(campaign).length === 0 ? null : campaign)),
  }),
});

/** An end of a window: an instant, or a date in the time zone. */
const edge = fc.oneof(
  fc.record({ days: fc.integer({ min: -2, max: visitDays + 1 }), offset: fc.constant(undefined) }),
  fc.record({
    days: fc.integer({ min: -1, max: visitDays }),
    offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: day - 1 })),
  }),
);

const query = fc.record({
  kind: oneOf(['clicks', 'scans', 'overview']),
  record: fc.nat(linkCount - 1),
  edges: fc.tuple(edge, edge),
  groupBy: oneOf(['hour', 'day'] as const),
  timezone: fc.oneof(oneOf(timezones), oneOf(Intl.supportedValuesOf('timeZone'))),
  limit: oneOf([1, 2, 50]),
  filters: fc.array(
    fc.record({ name: oneOf(scanFilters), picks: fc.uniqueArray(fc.nat(2), { minLength: 1 }) }),
    { maxLength: 2 },
  ),
  tag: fc.option(fc.uniqueArray(oneOf(['a', 'b', 'none']), { minLength: 1 }), { nil: undefined }),
  links: fc.option(fc.uniqueArray(fc.nat(linkCount - 1), { minLength: 1 }), { nil: undefined }),
});

const scenario = fc.record({
  base: oneOf(bases),
  visits: fc.array(visit, { minLength: 20, maxLength: 150 }),
  // The parts that are stored one after another. What happens after each of them.
  steps: fc.array(
    fc.record({
      share: fc.integer({ min: 1, max: 5 }),
      merges: fc.boolean(),
      // The number of writes after which the merge is killed.
      killedAfter: fc.option(fc.integer({ min: 1, max: 4 })),
      // The link whose visits are erased, and the end of those.
      erases: fc.option(
        fc.record({
          link: fc.nat(linkCount - 1),
          at: fc.integer({ min: 0, max: visitDays * day }),
        }),
      ),
      retentionDays: fc.option(fc.integer({ min: 3, max: 13 })),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  deletesQr: fc.boolean(),
  queries: fc.array(query, { minLength: 15, maxLength: 25 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;
type Query = Scenario['queries'][number];

/**
 * Compares each field of random reports with those of the model, over HTTP. A failure names the seed,
 * which `fc.assert` takes to repeat the run.
 */
export async function checkReports(numRuns: number): Promise<void> {
  await fc.assert(fc.asyncProperty(scenario, checkScenario), { numRuns, endOnFailure: true });
}

async function checkScenario(scenario: Scenario): Promise<void> {
  const { base, visits, steps, deletesQr, queries } = scenario;
  const start = Date.parse(base);
  const api = await startVisitedServer();
  try {
    const { database } = api.server;
    api.clock.advance(start - api.clock());
    const caller = await api.freshCaller();
    const inputs = [
      { customSlug: 'with-slug', tags: ['a', 'b'] },
      { tags: ['a'] },
      { customSlug: 'other' },
    ];
    const urls: ModelUrl[] = [];
    const qrs: ModelQr[] = [];
    for (const input of inputs) {
      const body = { targetUrl: 'https://example.com/', ...input };
      const data = await caller.createLink(body);
      const { id, shortCode, shortUrl } = data;
      urls.push({
        id,
        shortCode,
        shortUrl,
        hasSlug: 'customSlug' in input,
        tags: input.tags ?? [],
      });
    }
    const until = deletesQr ? start + 6 * day : Number.MAX_SAFE_INTEGER;
    for (const [index, { id }] of urls.entries()) {
      const { data } = await caller.call('createQr', { body: { urlId: Number(id) } });
      qrs.push({ id: data.id, urlId: id, from: start, until: index === 0 ? until : 2e15 });
    }
    if (deletesQr) {
      api.clock.advance(6 * day);
      await (await api.freshCaller()).call('deleteQr', { params: { id: qrs[0]?.id as string } });
    }
    const now = start + (visitDays + 2) * day;
    api.clock.advance(now - api.clock());

    const model = visits.map(
      ({ link, at, ...visit }): ModelVisit =>
        makeVisit({ ...visit, urlId: Number(urls[link]?.id), visitedAt: start + at }),
    );
    const repository = visitRepositoryOn(database);
    const shares = steps.reduce((sum, { share }) => sum + share, 0);
    let stored = 0;
    let share = 0;
    for (const step of steps) {
      share += step.share;
      const end = Math.round((model.length * share) / shares);
      const part = model.slice(stored, end);
      const range = [
        { segment: 1, offset: stored },
        { segment: 1, offset: end },
      ] as const;
      if (part.length > 0) {
        await repository.store('model', ...range, { visits: part }, now);
      }
      stored = end;
      if (step.merges) await merge(database, now + 365 * day, step.killedAfter);
      if (step.erases) {
        const { link, at } = step.erases;
        const url = urls[link] as ModelUrl;
        const until = start + at;
        await database.writeDirectly((transaction) =>
          markErased(transaction, Number(url.id), until),
        );
        expect(await eraseVisits(database)).toEqual(new Map());
        for (const each of model) {
          if (String(each.urlId) === url.id && each.visitedAt <= until) each.isDeleted = true;
        }
      }
      if (step.retentionDays === null) continue;
      const before = retainedSince(step.retentionDays, now) as number;
      await deleteOldVisits(database, before);
      for (const each of model.slice(0, stored)) if (each.visitedAt < before) each.isDeleted = true;
    }
    const expected = model.filter(({ isDeleted, facts }) => facts.kind === 'human' && !isDeleted);
    const times = (await storedVisits(database)).map(({ visitedAt }) => visitedAt);
    expect(times.sort()).toEqual(expected.map(({ visitedAt }) => visitedAt).sort());
    const diagnosis = await diagnoseVisits(database);
    expect([...diagnosis.wrongLinks, ...diagnosis.wrongCodes]).toEqual([]);
    const reader = await api.freshCaller();
    const counted = model.filter(({ isDeleted }) => !isDeleted);
    const { visits_deleted_until: retainedFrom } = await database.read
      .selectFrom('organizations')
      .select('visits_deleted_until')
      .where('id', '=', api.organizationId)
      .executeTakeFirstOrThrow();
    const checked = { retainedFrom, reader, start, model: counted, urls, qrs };
    for (const each of queries) await checkQuery(each, checked);
  } finally {
    await api.stop();
  }
}

/** Merges all rows. With `killedAfter`, is killed after so many writes. */
async function merge(
  database: VisitedServer['server']['database'],
  now: number,
  killedAfter: number | null,
): Promise<void> {
  let writes = 0;
  const killed = new Error('killed');
  const writeDirectly: typeof database.writeDirectly = (work, lock) => {
    writes += 1;
    if (killedAfter !== null && writes > killedAfter) throw killed;
    return database.writeDirectly(work, lock);
  };
  await mergeVisits({ ...database, writeDirectly }, now).catch((error: unknown) =>
    expect(error).toBe(killed),
  );
}

interface Checked {
  readonly reader: Awaited<ReturnType<VisitedServer['freshCaller']>>;
  readonly start: number;
  readonly model: readonly ModelVisit[];
  readonly urls: readonly ModelUrl[];
  readonly qrs: readonly ModelQr[];
  readonly retainedFrom: number;
}

async function checkQuery(
  { kind, record, edges, groupBy, timezone, limit, tag, links, ...rest }: Query,
  { reader, start, model, urls, qrs, retainedFrom }: Checked,
): Promise<void> {
  const ends = edges
    .map(({ days, offset }) => {
      const at = start + days * day + (offset ?? 0);
      if (offset !== undefined) return { at, text: new Date(at).toISOString() };
      const date = new Date(at).toISOString().slice(0, 10);
      return { at: startOfDate(timezone, date), text: date };
    })
    .sort((a, b) => a.at - b.at);
  const [since, until] = ends;
  if (!since || !until || since.at === until.at) return;
  const known: readonly FilterName[] = kind === 'scans' ? scanFilters : clickFilters;
  const filters: Partial<Record<FilterName, readonly string[]>> = {};
  for (const { name, picks } of rest.filters) {
    if (known.includes(name)) filters[name] = picks.map((pick) => values[name][pick] as string);
  }
  const asked = { since: since.text, until: until.text, groupBy, timezone, limit, ...filters };
  const window = { since: since.at, until: until.at, groupBy, timezone, limit, filters };
  const modelQuery = (seriesFrom: number): ModelQuery => ({
    ...{ ...window, seriesFrom, retainedFrom },
  });
  const url = urls[record] as ModelUrl;
  const qr = qrs[record] as ModelQr;
  const urlId = links?.map((link) => urls[link]?.id as string);
  const [response, expected] =
    kind === 'clicks'
      ? [
          await reader.call('getUrlClicks', { params: { id: url.id }, query: asked }),
          clicksModel(model, url, modelQuery(start)),
        ]
      : kind === 'scans'
        ? [
            await reader.call('getQrScans', { params: { id: qr.id }, query: asked }),
            scansModel(model, urls, qr, modelQuery(start)),
          ]
        : [
            await reader.call('getAnalyticsOverview', {
              query: { ...asked, ...(tag && { tag }), ...(urlId && { urlId }) },
            }),
            // The organization is older than its links.
            overviewModel(model, urls, qrs, modelQuery(organizationAt), { tag, urlId }),
          ];
  const context = JSON.stringify({ kind, ...asked, tag, urlId });
  expect(response.status, context).toBe(200);
  // The date depends on the country database of the machine.
  const { countriesDate, ...data } = response.data;
  expect(countriesDate, context).toEqual(expect.toBeOneOf([null, expect.any(String)]));
  expect(data, context).toEqual(expected);
}
