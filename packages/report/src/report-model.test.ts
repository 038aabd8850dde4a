import { expect, test } from 'vitest';
import { urlClicks } from '../../cli/test/click-fixtures.js';
import { bucketsOf, type GroupBy, linkReport } from './report-model.js';

// Clocks in Berlin are set back at 01:00 UTC, and the hour from 02:00 occurs twice. On Lord Howe Island,
// they are set forward from 02:00 to 02:30.
test.each<[string, GroupBy, string, string, boolean]>([
  [
    'the first hour that occurs twice',
    'hour',
    '25T02:00:00.000+02:00',
    '25T02:00:00.000+01:00',
    false,
  ],
  ['a part of that hour', 'hour', '25T02:00:00.000+02:00', '25T02:59:00.000+02:00', true],
  ['the second hour', 'hour', '25T02:00:00.000+01:00', '25T03:00:00.000+01:00', false],
  ['a part of the second hour', 'hour', '25T02:00:00.000+01:00', '25T02:30:00.000+01:00', true],
  ['half an hour', 'hour', '04T02:30:00.000+11:00', '04T03:00:00.000+11:00', false],
  ['an hour in UTC', 'hour', '25T02:00:00.000Z', '25T03:00:00.000Z', false],
  ['a part of an hour in UTC', 'hour', '25T02:00:00.000Z', '25T02:59:59.999Z', true],
  ['a day of 25 hours', 'day', '25T00:00:00.000+02:00', '26T00:00:00.000+01:00', false],
  ['24 of 25 hours', 'day', '25T00:00:00.000+02:00', '25T23:00:00.000+01:00', true],
])('the last bucket is %s', (_, groupBy, start, end, isPartial) => {
  const [bucket, until] = [`2026-10-${start}`, `2026-10-${end}`];
  const series = [{ bucket, clicks: 1, uniques: 1 }];
  const found = bucketsOf(series, { since: bucket, until }, groupBy);
  expect(found.map((each) => each.isPartial)).toEqual([isPartial]);
});

test('the first bucket is partial if the window begins within it', () => {
  const series = ['01', '02', '03'].map((day) => ({
    ...{ bucket: `2030-11-${day}T00:00:00.000Z`, clicks: 1, uniques: 1 },
  }));
  const window = { since: '2030-11-01T06:00:00.000Z', until: '2030-11-04T00:00:00.000Z' };
  const found = bucketsOf(series, window, 'day');
  expect(found.map((each) => each.isPartial)).toEqual([true, false, false]);
});

test('a note says which visits are deleted, if a window has some of them', () => {
  const since = '2030-11-01T00:00:00.000Z';
  const notesOf = (retainedSince: string | null, before?: string) =>
    linkReport(urlClicks({ since, retainedSince }), 'day', {
      before: before === undefined ? undefined : urlClicks({ since: before, retainedSince }),
    }).notes;
  const retainedSince = '2030-10-20T00:00:00.000Z';
  const note = `the server has deleted the visits before ${retainedSince}: no count has them`;
  expect(notesOf(null)).toEqual([]);
  expect(notesOf(retainedSince)).toEqual([]);
  expect(notesOf(retainedSince, '2030-10-01T00:00:00.000Z')).toEqual([note]);
});
