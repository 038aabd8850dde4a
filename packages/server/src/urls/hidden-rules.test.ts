import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deviceTypes } from '../analytics/classify/device-types.js';
import { findHidingRules } from './hidden-rules.js';
import type { RuleConditions } from './rule-conditions.js';

const jan = '2030-01-01T00:00:00.000Z';
const feb = '2030-02-01T00:00:00.000Z';
const mar = '2030-03-01T00:00:00.000Z';
const mobile: RuleConditions = { device: ['mobile'] };
const other: RuleConditions = { device: deviceTypes.filter((type) => type !== 'mobile') };

it.each<[RuleConditions, RuleConditions[], number[] | undefined]>([
  [{ country: ['DE', 'AT'] }, [{ country: ['DE'] }, { os: ['iOS'] }, { country: ['AT'] }], [0, 2]],
  [{ country: ['DE', 'AT'] }, [{ country: ['DE'] }], undefined],
  [{}, [mobile, other], [0, 1]],
  [{}, [{ device: [...deviceTypes] }], [0]],
  [{ os: ['iOS'] }, [mobile, { ...other, os: ['ios'] }], [0, 1]],
  [{}, [mobile, { ...other, os: ['iOS'] }], undefined],
  [{}, [{ country: ['DE'] }, { country: ['AT'] }], undefined],
  [{ language: ['de', 'fr'] }, [{ language: ['de'] }, { language: ['fr-FR'] }], undefined],
  [{ language: ['de', 'fr-FR'] }, [{ language: ['de'] }, { language: ['fr'] }], [0, 1]],
  [{ referrer: ['a.b.example', 'c.example'] }, [{ referrer: ['b.example'] }], undefined],
  [{}, [{ before: feb }, { after: feb }], [0, 1]],
  [{}, [{ before: jan }, { after: feb }], undefined],
  [{ after: jan, before: mar }, [{ before: feb }, { after: feb, before: mar }], [0, 1]],
  [{}, [{ before: mar }, { ...mobile, after: feb }, { ...other, after: feb }], [0, 1, 2]],
  [{ query: { a: '1', b: true } }, [{ query: { a: '1' }, ...mobile }, other], [0, 1]],
  [{ query: { a: true } }, [{ query: { a: '1' }, ...mobile }, other], undefined],
])('%j after %j is hidden by %j', (later, earlier, hiding) => {
  expect(findHidingRules(earlier, later)).toEqual(hiding);
});

const countries = ['DE', 'AT', 'FR'] as const;
const times = [jan, feb, mar] as const;
const some = <Value>(values: readonly Value[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined });
const conditions: fc.Arbitrary<RuleConditions> = fc.record(
  {
    device: some(deviceTypes),
    country: some(countries),
    query: fc.constantFrom(undefined, { a: '1' }, { a: true as const }),
    after: fc.constantFrom(undefined, ...times),
    before: fc.constantFrom(undefined, ...times),
  },
  { requiredKeys: [] },
);

/** A visit of each kind that these conditions can tell apart. */
const visits = deviceTypes.flatMap((device) =>
  [...countries, 'other'].flatMap((country) =>
    [undefined, '1', '2'].flatMap((query) =>
      ['2029', '2030-01-02', '2030-02-02', '2030-03-02'].map((time) => ({
        device,
        country,
        query,
        time,
      })),
    ),
  ),
);

function matches(when: RuleConditions, { device, country, query, time }: (typeof visits)[0]) {
  return (
    (when.device?.includes(device) ?? true) &&
    (when.country?.includes(country) ?? true) &&
    (when.query === undefined || query !== undefined) &&
    (when.query?.a === undefined || when.query.a === true || when.query.a === query) &&
    (when.after === undefined || time >= when.after) &&
    (when.before === undefined || time < when.before)
  );
}

it('finds exactly the rules that no visit reaches', () => {
  fc.assert(
    fc.property(fc.array(conditions, { maxLength: 6 }), conditions, (earlier, later) => {
      const own = visits.filter((visit) => matches(later, visit));
      // The schema refuses a rule without a time.
      fc.pre(own.length > 0);
      const isHidden = own.every((visit) => earlier.some((each) => matches(each, visit)));
      const hiding = findHidingRules(earlier, later);
      expect(hiding !== undefined).toBe(isHidden);
      const named = hiding?.map((index) => earlier[index] as RuleConditions) ?? earlier;
      expect(own.every((visit) => named.some((each) => matches(each, visit)))).toBe(isHidden);
    }),
    { numRuns: 2_000 },
  );
});

it('ends early for rules with many values', () => {
  const names = ['os', 'browser', 'country', 'language', 'referrer'] as const;
  const values = Array.from({ length: 10 }, (_, index) => `${index}`);
  const withValues = (chosen: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, chosen]));
  let reads = 0;
  // A search through all combinations of values reads 1,368,860 conditions, and finds that they hide it.
  const earlier = values.map(
    (missing) =>
      new Proxy(withValues(values.filter((value) => value !== missing)), {
        get(when, name) {
          reads += 1;
          return Reflect.get(when, name);
        },
      }),
  );
  expect(findHidingRules(earlier, withValues(values))).toBeUndefined();
  expect(reads).toBeLessThan(200_000);
});
