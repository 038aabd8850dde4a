import { describe, expect, test } from 'vitest';
import { type ColumnOptions, planColumns } from './column-plan.js';
import { FileError } from './text-format.js';
import { createFields } from './url-fields.js';

const nothing: ColumnOptions = { map: new Map(), ignore: new Set() };

function namesOf(header: readonly string[], options = nothing, set = createFields) {
  return planColumns(header, set, options).columns.map(({ column }) =>
    'name' in column ? `${column.kind}:${column.name}` : column.kind,
  );
}

function refusal(header: readonly string[], options = nothing): { message: string; hint: string } {
  try {
    planColumns(header, createFields, options);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { message: error.message, hint: error.hint ?? '' };
  }
  throw new Error('the header was taken');
}

test.each([
  ['target', 'field:targetUrl'],
  ['Target URL', 'field:targetUrl'],
  ['target-url', 'field:targetUrl'],
  ['TARGETURL', 'field:targetUrl'],
  [' targetUrl ', 'field:targetUrl'],
])('%j is %s', (title, expected) => {
  expect(namesOf([title])).toEqual([expected]);
});

test.each([
  ['slug', 'field:customSlug'],
  ['utm_source', 'field:utmSource'],
  ['utm_id', 'utm:utm_id'],
  ['UTM_Id', 'utm:UTM_Id'],
  ['', 'unnamed'],
  ['id', 'ignored'],
  ['click_count', 'ignored'],
])('%j beside url is %s', (title, expected) => {
  expect(namesOf(['url', title])[1]).toBe(expected);
});

test('every field has a column with its name', () => {
  const fields = Object.keys(createFields.fields);
  expect(namesOf(fields)).toEqual(fields.map((field) => `field:${field}`));
});

test('names of object properties are not fields', () => {
  for (const title of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    expect(refusal(['url', title]).message).toContain('unknown column');
  }
});

describe('ambiguous headers are rejected', () => {
  test('unknown columns, each with the most similar field', () => {
    expect(refusal(['url', 'tilte', 'Notes', 'tag'])).toEqual({
      message: 'unknown columns "tilte" (did you mean title?), "Notes", "tag" (did you mean tags?)',
      hint: expect.stringMatching(
        /^use --map COLUMN=FIELD or --ignore-columns; fields: targetUrl, .*, utm_\*$/,
      ),
    });
  });

  test('a missing target column: the message shows the header and --map', () => {
    expect(refusal(['Link', 'Name of it'])).toEqual({
      message: 'the header has no column targetUrl, only "Link", "Name of it"',
      hint: 'the first row must name the columns; --map COLUMN=targetUrl uses another one',
    });
  });

  test.each([
    [['targetUrl', 'a', 'url'], 'columns 1 ("targetUrl") and 3 ("url") both mean targetUrl'],
    [['url', 'utm_source', 'utmSource'], 'both mean utmSource'],
    [['url', 'utm_id', 'utm_id'], 'both mean utm_id'],
  ])('%j: two columns for one field', (header, message) => {
    expect(refusal(header, { ...nothing, ignore: 'all' }).message).toContain(message);
  });
});

describe('--map and --ignore-columns', () => {
  test('a duplicate column can be ignored, and a mapped column takes precedence', () => {
    const options = { map: new Map([['b', 'title']]), ignore: new Set(['Title', 'b']) };
    expect(namesOf(['url', 'title', 'b'], options)).toEqual([
      'field:targetUrl',
      'ignored',
      'field:title',
    ]);
  });

  test.each([
    [{ map: new Map([['x', 'title']]), ignore: new Set<string>() }, 'unknown column "x"'],
    [{ map: new Map<string, string>(), ignore: new Set(['x']) }, 'unknown column "x"'],
    [{ map: new Map([['url', 'nonsense']]), ignore: new Set<string>() }, 'unknown field'],
  ])('unknown names: %j', (options, message) => {
    expect(refusal(['url'], options).message).toContain(message);
  });
});
