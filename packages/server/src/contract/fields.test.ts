import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  displayText,
  line,
  multilineText,
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

  it.each([
    0,
    -1,
    1.5,
    largest + 1,
    1e300,
    Number.NaN,
    null,
    true,
    {},
    [1],
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '01',
    '1e3',
    '0x1',
    '1.0',
    '9007199254740992',
    '1'.repeat(30),
    '١',
  ])('refuses %j', (value) => {
    expect(urlIdInput.safeParse(value).success).toBe(false);
    expect(urlIdParam.safeParse(value).success).toBe(false);
  });
});

describe('timestamp', () => {
  it.each(['2030-12-31T23:59:59Z', '2030-12-31T23:59:59.123456Z', '2030-12-31T23:59:59+05:30'])(
    'takes %s',
    (text) => {
      expect(Date.parse(timestamp.parse(text))).toBeGreaterThan(0);
    },
  );

  it.each(['2030-12-31', '2030-12-31T23:59:59', '2030-02-30T00:00:00Z', '1893456000', '', 'soon'])(
    'refuses %j',
    (text) => {
      expect(timestamp.safeParse(text).success).toBe(false);
    },
  );

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

  it('multilineText accepts line breaks and tabs, and no other control character', () => {
    expect(multilineText(10).safeParse('a\r\n\tb').success).toBe(true);
    expect(multilineText(10).safeParse('a\0b').success).toBe(false);
    expect(multilineText(10).safeParse('\udc00').success).toBe(false);
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
