import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  arbitraryText,
  atMost,
  displayText,
  line,
  queryInteger,
  timestamp,
  urlIdInput,
  urlIdParam,
  uuid,
} from './fields.js';

const largest = Number.MAX_SAFE_INTEGER;

describe('urlIdInput', () => {
  it('accepts each id as a number and as decimal digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: largest }), (id) => {
        expect(urlIdInput.parse(id)).toBe(id);
        expect(urlIdInput.parse(String(id))).toBe(id);
        expect(urlIdParam.parse(String(id))).toBe(id);
      }),
    );
  });

  it.each([0, 1.5, largest + 1, null, [1], '', ' 1', '+1', '01', '1e3', '9007199254740992', '١'])(
    'refuses %j',
    (value) => {
      expect(urlIdInput.safeParse(value).success).toBe(false);
      expect(urlIdParam.safeParse(value).success).toBe(false);
    },
  );
});

describe('timestamp', () => {
  it.each([
    ['2031-01-01', '2031-01-01T00:00:00.000Z'],
    ['2030-12-31T23:59', '2030-12-31T23:59:00.000Z'],
    ['2030-12-31T23:59:59', '2030-12-31T23:59:59.000Z'],
    ['2030-12-31T23:59:59Z', '2030-12-31T23:59:59.000Z'],
    ['2030-12-31t23:59:59z', '2030-12-31T23:59:59.000Z'],
    ['2030-12-31T23:59:59.123456Z', '2030-12-31T23:59:59.123Z'],
    ['2030-12-31T23:59:59,5', '2030-12-31T23:59:59.500Z'],
    ['2030-12-31T23:59:59+05:30', '2030-12-31T18:29:59.000Z'],
    ['2030-12-31T23:59:59+0530', '2030-12-31T18:29:59.000Z'],
    ['2030-12-31T23:59+02', '2030-12-31T21:59:00.000Z'],
    ['2030-12-31T23:59-02', '2031-01-01T01:59:00.000Z'],
    ['2030-12-31 23:59:59', '2030-12-31T23:59:59.000Z'],
    ['2030-12-31 23:59:59 +0200', '2030-12-31T21:59:59.000Z'],
    ['2030-12-31 23:59:59+02:00', '2030-12-31T21:59:59.000Z'],
    // The plus of a query that is not escaped.
    ['2030-12-31T23:59:59 02:00', '2030-12-31T21:59:59.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('returns %s in the full form', (text, full) => {
    expect(timestamp.parse(text)).toBe(full);
  });

  it.each([
    '',
    'soon',
    '1893456000',
    '2030-12',
    '2030-13-01',
    '2030-02-30T00:00:00Z',
    '2030-12-31T23Z',
    '2030-12-31T24:00:00Z',
    '2030-12-31T23:59:60Z',
    '2030-12-31T23:59.5Z',
    '2030-12-31T23:59:59+02:60',
    '2030-12-31T23:59:59 Europe/Berlin',
    ' 2030-12-31',
    '2030-12-31\n',
    '+002030-12-31',
    '12/31/2030',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '２０３０-12-31',
  ])('refuses %j, and repeats the value', (text) => {
    const { error } = timestamp.safeParse(text);
    expect(error?.issues[0]?.message).toContain(`is ${JSON.stringify(text)}: it must be an ISO 86`);
  });

  it('returns the instant that Date finds in each text with a zone', () => {
    const zone = fc.oneof(
      fc.constant('Z'),
      fc
        .tuple(fc.constantFrom('+', '-'), fc.nat({ max: 23 }), fc.nat({ max: 59 }))
        .map(([sign, hours, minutes]) =>
          [sign, String(hours).padStart(2, '0'), ':', String(minutes).padStart(2, '0')].join(''),
        ),
    );
    const date = fc.date({
      min: new Date('1970-01-02'),
      max: new Date('9999-12-30'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, zone, fc.constantFrom('', ':11', ':11.25'), (day, zone, seconds) => {
        const text = `${day.toISOString().slice(0, 10)}T08:07${seconds}${zone}`;
        expect(Date.parse(timestamp.parse(text))).toBe(Date.parse(text));
      }),
    );
  });

  it('accepts every instant in the form of Date.toJSON', () => {
    const instants = fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (instant) => {
        expect(Date.parse(timestamp.parse(instant.toISOString()))).toBe(instant.getTime());
      }),
    );
  });
});

describe('text', () => {
  it.each(['a\nb', 'a\tb', 'a\0b', 'a\u007f', 'a\u0085', '\ud800'])('line refuses %j', (text) => {
    expect(line(10).safeParse(text).success).toBe(false);
  });

  it('arbitraryText counts bytes, and refuses only what no engine stores', () => {
    const isValid = (text: string) => arbitraryText(10).safeParse(text).success;
    expect(['a', '\u001d\u001e\u0004\r\n\t\u0085', 'üüüüü', '\u202e'].map(isValid)).toEqual(
      Array(4).fill(true),
    );
    expect(['', 'a\0b', '\udc00', 'üüüüüa', 'x'.repeat(11)].map(isValid)).toEqual(
      Array(5).fill(false),
    );
  });

  it('limits count characters as JSON Schema does, not UTF-16 units', () => {
    const isValid = (text: string) => line(2, 2).safeParse(text).success;
    expect(['🌷🌷', '🌷a', 'ab'].map(isValid)).toEqual([true, true, true]);
    expect(['🌷', 'a', '🌷🌷🌷', 'abc', '🌷🌷a'].map(isValid)).toEqual(Array(5).fill(false));
    expect(displayText(2).safeParse('🌷🌷').success).toBe(true);
    expect(displayText(2).safeParse('🌷🌷a').success).toBe(false);
  });

  it('replaces tabs and line breaks with one space before it counts characters', () => {
    expect(displayText(3).parse('a\r\n\t\n\u2028b')).toBe('a b');
    expect(displayText(3).parse('\u05d0\u200f')).toBe('\u05d0\u200f');
  });

  it.each([
    ['\u202e', 'U+202E (right-to-left override)'],
    ['\u2066', 'U+2066 (left-to-right isolate)'],
    ['\0', 'U+0000 (control character)'],
    ['\u0085', 'U+0085 (control character)'],
  ])('folded text refuses %j by name', (character, name) => {
    const { error } = displayText(10).safeParse(`a${character}b`);
    expect(error?.issues.map(({ message }) => message)).toEqual([`must not contain ${name}`]);
  });

  it.each(['', 'a', 'ab', 'abc'])('line counts %j', (text) => {
    expect(line(2, 1).safeParse(text).success).toBe(text.length === 1 || text.length === 2);
  });
});

describe('queryInteger', () => {
  const limit = queryInteger({ min: 1, max: 100, default: 25 });

  it('has a default, and refuses values out of range', () => {
    expect(limit.parse(undefined)).toBe(25);
    expect(['1', '100', '007'].map((text) => limit.parse(text))).toEqual([1, 100, 7]);
    for (const text of ['0', '101', '1e1', '', ' 1', '-1', '1.0', '9'.repeat(16)]) {
      expect(limit.safeParse(text).success).toBe(false);
    }
  });
});

describe('uuid', () => {
  it('accepts any case and returns lower case', () => {
    const id = '0197F3B4-7C1A-7D2E-9F00-0123456789AB';
    expect(uuid.parse(id)).toBe(id.toLowerCase());
    expect(uuid.safeParse(id.slice(1)).success).toBe(false);
  });
});

describe('atMost', () => {
  const refused = z.string().refine(() => {
    throw new Error('an entry was validated');
  });

  it.each([
    ['a list', atMost(2, 'must have at most 2', z.array(refused)), ['a', 'b', 'c']],
    [
      'the keys',
      atMost(2, 'must have at most 2', z.record(refused, z.any())),
      { a: 1, b: 2, c: 3 },
    ],
  ])('counts %s before it validates them', (_, schema, input) => {
    expect(schema.safeParse(input).error?.issues.map(({ message }) => message)).toEqual([
      'must have at most 2',
    ]);
  });
});
