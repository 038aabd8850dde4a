import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allIndexes, VisitColumnsBuilder } from '../ingest/visit-columns.js';
import type { Visit } from '../journal/journal-lines.js';
import {
  type ClickChange,
  type CountedClicks,
  changeClicks,
  releaseClicks,
} from './counted-clicks.js';
import { clickDimensions } from './dimensions.js';
import { hourMs } from './durations.js';
import { Int32Pool } from './int32-pool.js';
import type { ClickReport } from './report-contract.js';
import type { VisitQuery } from './report-window.js';
import { toConditions } from './visit-filter.js';
import { clickMeasure } from './visit-measures.js';
import { VisitTally } from './visit-tally.js';

const start = Date.UTC(2030, 9, 25);
const length = 72 * hourMs;

const toKey = (number: number) => number.toString(16).padStart(16, '0');
const visit = fc
  .record({
    hours: fc.double({ min: 0, max: 30, noNaN: true }),
    // Many return. Zero is no key.
    visitor: fc.nat({ max: 30 }),
    urlId: fc.integer({ min: 1, max: 5 }),
    country: fc.constantFrom('DE', 'AT', 'CH'),
    isHuman: fc.boolean(),
  })
  .map(({ hours, visitor, urlId, country, isHuman }) => ({
    hours,
    urlId,
    facts: {
      kind: isHuman ? ('human' as const) : ('bot' as const),
      reason: 'browser' as const,
      country,
      deviceType: 'mobile' as const,
      browser: country === 'CH' ? `Browser ${visitor}` : 'Firefox',
      os: 'Android',
      referrerDomain: '(direct)',
      referrerType: 'direct' as const,
      visitorKey: toKey(visitor),
      addressKey: toKey(visitor >> 2),
      scannerApp: null,
      evidence: 0,
      region: null,
      city: null,
      language: null,
      campaign: null,
    },
  }));
/** Chunks, the later ones with later visits. */
const chunks = fc.array(fc.array(visit, { minLength: 1, maxLength: 25 }), {
  minLength: 2,
  maxLength: 8,
});

function toStored(
  visits: readonly (Omit<Visit, 'visitedAt' | 'isByCode' | 'variant'> & { hours: number })[],
  at: number,
) {
  const builder = new VisitColumnsBuilder(visits.length);
  for (const { hours, ...each } of visits) {
    const visitedAt = start + Math.floor((at * 5 + hours) * hourMs);
    builder.add({ ...each, visitedAt, isByCode: false, variant: null });
  }
  const columns = builder.finish();
  return { columns, indexes: allIndexes(columns) };
}

test('the counts of changed chunks are the same as those that are counted anew', async () => {
  await fc.assert(
    fc.asyncProperty(
      chunks,
      // The chunks that are counted, after each of several changes.
      fc.array(fc.nat({ max: 255 }), { minLength: 2, maxLength: 5 }),
      fc.record({
        groupBy: fc.constantFrom('hour' as const, 'day' as const),
        timezone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu', 'Europe/Berlin'),
        country: fc.constantFrom(undefined, ['de']),
        days: fc.constantFrom(1, 4),
      }),
      async (made, selections, { groupBy, timezone, country, days }) => {
        const stored = made.map(toStored);
        const pool = new Int32Pool();
        const query: VisitQuery = {
          since: start,
          until: start + (days === 1 ? 24 * hourMs : length),
          groupBy,
          timezone,
          conditions: toConditions(clickDimensions, { country }),
        };
        const tallyOf = (selected: (at: number) => boolean) => {
          const tally = new VisitTally<ClickReport>(clickMeasure, query, pool);
          for (const [at, visits] of stored.entries()) if (selected(at)) tally.add(visits);
          return tally;
        };
        const count = (selected: (at: number) => boolean) => {
          const tally = tallyOf(selected);
          const counted = tally.toCounted() as CountedClicks;
          tally.release();
          return counted;
        };
        const has = (selection: number) => (at: number) => (selection & (1 << at)) !== 0;
        let selection = selections[0] as number;
        let counted = count(has(selection));
        for (const next of selections.slice(1)) {
          const toRemove = tallyOf((at) => has(selection)(at) && !has(next)(at));
          const toAdd = tallyOf((at) => !has(selection)(at) && has(next)(at));
          const removed = toRemove.toChange('removed') as ClickChange;
          const added = toAdd.toChange('added') as ClickChange;
          const read = async (buckets: readonly number[]) => {
            const tally = new VisitTally<ClickReport>(clickMeasure, query, pool);
            tally.selectBuckets(buckets);
            for (const [at, visits] of stored.entries()) if (has(next)(at)) tally.recount(visits);
            const visitors = tally.finishRecount(buckets);
            tally.release();
            return visitors;
          };
          const changed = await changeClicks(counted, removed, added, read, pool);
          releaseClicks(counted);
          for (const each of [toRemove, toAdd]) each.release();
          if (!changed) throw new Error('the counts are not exact');
          counted = changed;
          selection = next;
          // The others follow in the report, also in the buckets at the ends.
          const report = tallyOf((at) => !has(selection)(at));
          expect(report.include(counted)).toBe(true);
          report.bucketsToRecount();
          for (const [at, visits] of stored.entries()) {
            if (has(selection)(at)) report.recount(withoutEnds(visits, counted));
          }
          const anew = tallyOf(() => true);
          expect(report.largestUrls(9)).toEqual(anew.largestUrls(9));
          expect(report.finish(50)).toEqual(anew.finish(50));
          report.release();
          anew.release();
        }
        releaseClicks(counted);
        expect(pool.usedBytes).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});

/** Returns the visits outside of the buckets whose visitors are known: only they are read again. */
function withoutEnds(
  { columns, indexes }: ReturnType<typeof toStored>,
  { starts, visitorsAtEnds }: CountedClicks,
) {
  const isKnown = (index: number) => {
    const at = columns.visitedAt[index] as number;
    const last = starts.findLastIndex((from) => from <= at);
    return visitorsAtEnds.has(Math.max(0, last));
  };
  return { columns, indexes: indexes.filter((index) => !isKnown(index)) };
}
