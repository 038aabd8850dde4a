import fc from 'fast-check';
import { expect } from 'vitest';
import { eraseVisits } from '../../src/analytics/ingest/erase-visits.js';
import { markErased } from '../../src/analytics/ingest/erasure-marks.js';
import { VisitCompactor } from '../../src/analytics/ingest/visit-compactor.js';
import { pruneVisits } from '../../src/analytics/ingest/visit-pruner.js';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { diagnoseClicks, diagnoseScans } from '../../src/analytics/reports/visit-doctor.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { diagnoseOrganizationChunks } from './organization-chunks.js';
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
import { storedVisits } from './stored-visits.js';
import { day, hour, makeVisit } from './visit-store.js';
import { startServerWithRotations, type VisitedServer } from './visited-server.js';

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
const utmFields = ['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const;
const clickFilters = [
  ...([
    'country',
    'region',
    'city',
    'device',
    'browser',
    'os',
    'referrerType',
    'referrer',
    'language',
  ] as const),
  ...utmFields,
  'variant',
] as const;
const scanFilters = [...clickFilters, 'scanMethod', 'scannerApp'] as const;

const oneOf = <Value>(list: readonly Value[]) => fc.constantFrom(...list);
const key = (number: number) => (number + 1).toString(16).padStart(16, '0');

const visit = fc.record({
  link: fc.nat(linkCount - 1),
  // Several visits are at the full hour, where buckets begin.
  at: fc.oneof(
    fc.integer({ min: 1, max: visitDays * day - 1 }),
    fc.integer({ min: 1, max: visitDays * 24 - 1 }).map((hours) => hours * hour),
  ),
  isHuman: fc.nat(9).map((number) => number > 0),
  isByCode: fc.boolean(),
  visitor: fc.option(fc.nat(9).map(key)),
  address: fc.nat(6).map(key),
  country: oneOf(values.country),
  region: oneOf(['DE-BE', 'US-New York', null]),
  city: oneOf(['Berlin', 'New York', 'New Berlin', null]),
  device: oneOf(values.device),
  browser: oneOf(values.browser),
  os: oneOf(values.os),
  referrerType: oneOf(values.referrerType),
  referrer: oneOf(values.referrer),
  language: oneOf(['de', 'en', null]),
  utmSource: oneOf(['Mail', 'mail', null]),
  utmMedium: oneOf(['cpc', 'print', null]),
  utmCampaign: oneOf(['spring', 'a b', null]),
  utmTerm: oneOf(['Shoes', 'ä', null]),
  utmContent: oneOf(['top', null, null]),
  variant: oneOf(['German/2', 'test', null, null]),
  scannerApp: oneOf(['Lens', null, null]),
  isDedicatedScanner: fc.nat(4).map((number) => number === 0),
  isInApp: fc.boolean(),
  hasReferrer: fc.boolean(),
  isImageSearch: fc.nat(4).map((number) => number === 0),
  isOwnNavigation: fc.boolean(),
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
  timezone: oneOf(timezones),
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
      compacts: fc.boolean(),
      // The number of writes after which the compaction is killed. The next one continues it.
      killedAfter: fc.option(fc.integer({ min: 1, max: 4 })),
      // The link whose visits are erased, and the end of those.
      erases: fc.option(
        fc.record({
          link: fc.nat(linkCount - 1),
          at: fc.integer({ min: 0, max: visitDays * day }),
        }),
      ),
      retentionDays: fc.option(fc.integer({ min: 3, max: 13 })),
      // Whether a version without breakdowns by place, language, UTM parameter and variant prunes.
      isOldVersion: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  deletesQr: fc.boolean(),
  // When periods of visitor keys begin, from before the links were created.
  rotations: fc.uniqueArray(
    fc.oneof(
      fc.integer({ min: -2, max: visitDays }).map((days) => days * day),
      fc.integer({ min: 0, max: visitDays * day }),
    ),
    { maxLength: 2 },
  ),
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
  const rotations = scenario.rotations.map((at) => start + at);
  const api = await startServerWithRotations(rotations);
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
      const { data } = await caller.call('createUrl', { body });
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
      ({ link, at, ...facts }): ModelVisit => ({
        ...facts,
        urlId: urls[link]?.id as string,
        at: start + at,
      }),
    );
    const outbox = new EventOutbox(database, { newId: () => 'event' });
    const repository = new VisitRepository(database, { outbox, thresholds: [] });
    const shares = steps.reduce((sum, { share }) => sum + share, 0);
    let stored = 0;
    let share = 0;
    for (const [index, step] of steps.entries()) {
      share += step.share;
      const end = Math.round((model.length * share) / shares);
      const part = model.slice(stored, end);
      const range = [
        { segment: 1, offset: stored },
        { segment: 1, offset: end },
      ] as const;
      if (part.length > 0) {
        await repository.store('model', ...range, { visits: part.map(toVisit) }, now);
      }
      stored = end;
      if (step.compacts) await compact(database, now + 365 * day, step.killedAfter);
      if (step.erases) {
        const { link, at } = step.erases;
        const url = urls[link] as ModelUrl;
        const until = start + at;
        await database.writeDirectly((transaction) =>
          markErased(transaction, Number(url.id), until),
        );
        expect(await eraseVisits(database)).toEqual([]);
        for (const each of model.filter(({ urlId }) => urlId === url.id)) {
          // A pruned day is erased as a whole.
          const isPruned = each.prunedBy !== undefined;
          const first = isPruned ? Math.floor(each.at / day) * day : each.at;
          if (first <= until) each.isDeleted = true;
        }
      }
      if (step.killedAfter !== null) continue;
      if (!step.compacts || step.retentionDays === null) continue;
      await pruneVisits({ database, clock: () => now, retentionDays: step.retentionDays });
      const before = Math.floor((now - step.retentionDays * day) / day) * day;
      for (const each of model.slice(0, stored)) {
        if (each.at < before) each.prunedBy ??= index;
      }
      if (!step.isOldVersion) continue;
      await removeBreakdowns(database, ['region', 'city', 'language', ...utmFields, 'variant']);
      for (const each of model) if (each.prunedBy !== undefined) each.lacksUtm = true;
    }
    const expected = model.filter(
      ({ isDeleted, isHuman, prunedBy }) => isHuman && !isDeleted && prunedBy === undefined,
    );
    const times = (await storedVisits(database)).map(({ visitedAt }) => visitedAt);
    expect(times.sort()).toEqual(expected.map(({ at }) => at).sort());
    expect((await diagnoseClicks(database)).wrongCounters).toEqual([]);
    expect((await diagnoseScans(database)).wrongCounters).toEqual([]);
    expect(await diagnoseOrganizationChunks(database)).toEqual([]);
    const reader = await api.freshCaller();
    const counted = model.filter(({ isDeleted, isHuman }) => !isDeleted || !isHuman);
    const checked = { reader, start, model: counted, urls, qrs, rotations };
    for (const each of queries) await checkQuery(each, checked);
  } finally {
    await api.stop();
  }
}

/** Compacts all batches. With `killedAfter`, is killed after so many writes. */
async function compact(
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
  const killable = { ...database, writeDirectly };
  const compactor = new VisitCompactor({ database: killable, clock: () => now });
  // The first call may only continue a killed compaction.
  for (let calls = 0; calls < 2; calls += 1) {
    await compactor.compact().catch((error: unknown) => expect(error).toBe(killed));
  }
}

/** Removes breakdowns of clicks from all pruned days, as if an earlier version had pruned them. */
async function removeBreakdowns(
  database: VisitedServer['server']['database'],
  names: readonly string[],
): Promise<void> {
  const days = await database.read.selectFrom('click_days').selectAll().execute();
  for (const { url_id, day: at, summary } of days) {
    const reports = JSON.parse(summary) as { breakdowns: Record<string, unknown> }[];
    for (const { breakdowns } of reports) for (const name of names) delete breakdowns[name];
    await database.writeDirectly((transaction) =>
      transaction
        .updateTable('click_days')
        .set({ summary: JSON.stringify(reports) })
        .where('url_id', '=', url_id)
        .where('day', '=', at)
        .execute(),
    );
  }
}

interface Checked {
  readonly reader: Awaited<ReturnType<VisitedServer['freshCaller']>>;
  readonly start: number;
  readonly model: readonly ModelVisit[];
  readonly urls: readonly ModelUrl[];
  readonly qrs: readonly ModelQr[];
  readonly rotations: readonly number[];
}

async function checkQuery(
  { kind, record, edges, groupBy, timezone, limit, tag, links, ...rest }: Query,
  { reader, start, model, urls, qrs, rotations }: Checked,
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
  const modelQuery = (seriesFrom: number): ModelQuery => ({ ...window, seriesFrom, rotations });
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
  if (expected === 'refused') {
    expect([response.status, response.error?.code], context).toEqual([400, 'VALIDATION_FAILED']);
    expect(known, context).toContain(response.error?.details?.[0]?.path);
    return;
  }
  expect(response.status, context).toBe(200);
  // The date depends on the country database of the machine.
  const { countriesDate, ...data } = response.data;
  expect(countriesDate, context).toEqual(expect.toBeOneOf([null, expect.any(String)]));
  expect(data, context).toEqual(expected);
}

function toVisit(visit: ModelVisit) {
  const evidence = [
    visit.isDedicatedScanner ? 1 : 0,
    visit.isInApp ? 2 : 0,
    visit.hasReferrer ? 4 : 0,
    visit.isImageSearch ? 8 : 0,
    visit.isOwnNavigation ? 16 : 0,
  ].reduce((flags, flag) => flags | flag, 0);
  return makeVisit({
    urlId: Number(visit.urlId),
    visitedAt: visit.at,
    isByCode: visit.isByCode,
    variant: visit.variant,
    facts: {
      kind: visit.isHuman ? 'human' : 'bot',
      reason: visit.isHuman ? 'browser' : 'isbot',
      country: visit.country,
      region: visit.region,
      city: visit.city,
      deviceType: visit.device as 'mobile',
      browser: visit.browser,
      os: visit.os,
      referrerType: visit.referrerType as 'direct',
      referrerDomain: visit.referrer,
      visitorKey: visit.visitor,
      addressKey: visit.address,
      scannerApp: visit.scannerApp,
      evidence,
      language: visit.language,
      campaign: campaignOf(visit),
    },
  });
}

function campaignOf(visit: ModelVisit) {
  const set = utmFields.flatMap((field) => (visit[field] === null ? [] : [[field, visit[field]]]));
  return set.length === 0 ? null : Object.fromEntries(set);
}
