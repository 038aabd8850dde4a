import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import {
  maxDepth,
  maxFields,
  maxPartBytes,
  maxPartValues,
  maxTextBytes,
  maxValues,
  parseJson,
} from './parse-json.js';

const parse = (text: string) => parseJson(Buffer.from(text));
// A body that is longer than this is parsed in parts.
const padding = ' '.repeat(70_000);
const parseInParts = (text: string) => parse(padding + text);

async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ApiError) return 'not JSON';
    throw error;
  }
}

const isUnreadable = (value: unknown, rule: string) =>
  expect((value as symbol).description).toContain(rule);

describe('parseJson returns the same value as JSON.parse', () => {
  const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value));
  const spaced = fc
    .tuple(json, fc.constantFrom('', ' ', '\n\t'))
    .map(([text, space]) => text.replace(/[[\]{}:,]/g, (mark) => space + mark + space));
  // Mostly JSON with one changed character.
  const broken = fc
    .tuple(json, fc.nat(), fc.constantFrom('', ...'[]{},:"\\1 \u0000'), fc.boolean())
    .map(([text, seed, mark, replaces]) => {
      const at = seed % (text.length + 1);
      return text.slice(0, at) + mark + text.slice(at + (replaces ? 1 : 0));
    });

  it.each([
    ['whole', parse],
    ['in parts', parseInParts],
  ])('%s', async (_, read) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, spaced, broken), async (text) => {
        const expected = await outcomeOf(() => JSON.parse(text));
        expect(await outcomeOf(() => read(text))).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{}',
    '{ }',
    '{"a":[]}',
    '{"a":[ ]}',
    '{"a":[1,[2],{"b":[3]}],"c":{}}',
    '{"a":1,"a":2}',
    '{"a":[1],"a":{"b":[]}}',
    '{"__proto__":{"polluted":1}}',
    '{"a\\"b":"]}","\\\\":"\\\\"}',
    '7',
    '[1,{"a":2}]',
  ])('%s, also in parts', async (text) => {
    const value = await parseInParts(text);
    expect(value).toEqual(JSON.parse(text));
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    '',
    ' ',
    '{',
    '}',
    '{"a":[1]2}',
    '{"a":[1][2]}',
    '{"a":1[2]}',
    '{"a":[1]{"b":2}}',
    '{"a":[1}}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{,"a":1}',
    '{"a":1,}',
    '{"a"}',
    '{"a":}',
    '{:1}',
    '{1:1}',
    '{"a":1}}',
    '{"a":1}{"b":2}',
    '{"a":1]',
    '{"a":"b}',
    '[1,2',
  ])('refuses %s, also in parts', async (text) => {
    expect(await outcomeOf(() => parse(text))).toBe('not JSON');
    expect(await outcomeOf(() => parseInParts(text))).toBe('not JSON');
  });

  it('ignores a byte order mark, and refuses bytes that are not UTF-8', async () => {
    expect(await parse('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(await parse(`\ufeff${padding}{"a":1}`)).toEqual({ a: 1 });
    const latin1 = Buffer.from('{"a":"ü"}', 'latin1');
    await expect(parseJson(latin1)).rejects.toThrow('it is not UTF-8');
    await expect(parseJson(Buffer.from('{"a":1}', 'utf16le'))).rejects.toThrow('JSON');
  });
});

describe('a part beyond a limit is not parsed, and the others are', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const listOf = (count: number) => `[${Array(count).fill(1).join()}]`;

  it('nesting, of a field and of an item', async () => {
    const text = `{"a":{"b":${nested(maxDepth - 1)}},"c":{"d":${nested(maxDepth)}},"e":[${nested(maxDepth)},${nested(maxDepth + 1)},1]}`;
    const { a, c, e } = (await parse(text)) as Record<string, never[]>;
    expect(JSON.stringify(a)).toBe(`{"b":${nested(maxDepth - 1)}}`);
    isUnreadable(c, `nested at most ${maxDepth}`);
    expect(JSON.stringify(e?.[0])).toBe(nested(maxDepth));
    isUnreadable(e?.[1], `nested at most ${maxDepth}`);
    expect(e?.[2]).toBe(1);
  });

  it('values', async () => {
    const wide = `{"a":${listOf(maxPartValues - 2)}}`;
    const wider = `{"a":${listOf(maxPartValues)}}`;
    const { a, b } = (await parse(`{"a":[${wide},${wider}],"b":${wider}}`)) as Record<
      string,
      never
    >;
    expect(JSON.stringify(a?.[0])).toBe(wide);
    isUnreadable(a?.[1], `at most ${maxPartValues} values`);
    isUnreadable(b, `at most ${maxPartValues} values`);
  });

  it('items of a list', async () => {
    const text = `{"a":${listOf(maxFields)},"b":${listOf(maxFields + 1)}}`;
    const { a, b } = (await parse(text)) as Record<string, never>;
    expect(a).toHaveLength(maxFields);
    isUnreadable(b, `at most ${maxFields} items`);
  });

  it('texts and bytes', async () => {
    const text = 'x'.repeat(maxTextBytes);
    const texts = `{"b":[${Array(maxPartBytes / maxTextBytes).fill(`"${text}"`)}]}`;
    const { a, b } = (await parse(`{"a":["${text}","${text}x"],"b":${texts}}`)) as Record<
      string,
      never
    >;
    expect(a?.[0] === text).toBe(true);
    isUnreadable(a?.[1], `more than ${maxTextBytes} bytes`);
    isUnreadable(b, `at most ${maxPartBytes} bytes`);
  });
});

describe('a body beyond a limit is refused', () => {
  it.each([
    ['fields', `{${Array.from({ length: maxFields + 1 }, (_, at) => `"${at}":1`)}}`, 'fields'],
    ['field names', `{"${'x'.repeat(maxTextBytes + 2)}":1}`, 'field names'],
    [
      'values',
      `{"a":[${Array(maxValues / 200 + 1).fill(`[${Array(200).fill(1)}]`)}]}`,
      `at most ${maxValues} values`,
    ],
  ])('%s', async (_, text, rule) => {
    await expect(parse(text)).rejects.toThrow(rule);
  });
});
