import { describe, expect, it } from 'vitest';
import { displayText, line, timestamp, urlIdInput, urlIdParam } from './fields.js';

describe('urlIdInput', () => {
  it.each([0, 1.5, null, '', '01', '1e3', '9007199254740992'])('refuses %j', (value) => {
    expect(urlIdInput.safeParse(value).success).toBe(false);
    expect(urlIdParam.safeParse(value).success).toBe(false);
  });
});

describe('timestamp', () => {
  it.each([
    ['2031-01-01', '2031-01-01T00:00:00.000Z'],
    ['2030-12-31T23:59', '2030-12-31T23:59:00.000Z'],
    ['2030-12-31T23:59:59.123456Z', '2030-12-31T23:59:59.123Z'],
    ['2030-12-31T23:59-02', '2031-01-01T01:59:00.000Z'],
    ['2030-12-31 23:59:59 +0200', '2030-12-31T21:59:59.000Z'],
    // The plus of a query that is not escaped.
    ['2030-12-31T23:59:59 02:00', '2030-12-31T21:59:59.000Z'],
  ])('returns %s in the full form', (text, full) => {
    expect(timestamp.parse(text)).toBe(full);
  });

  it.each(['soon', '2030-02-30T00:00:00Z', ' 2030-12-31', '9999-12-31T23:59:59-01:00'])(
    'refuses %j, and repeats the value',
    (text) => {
      const { error } = timestamp.safeParse(text);
      expect(error?.issues[0]?.message).toContain(
        `is ${JSON.stringify(text)}: it must be an ISO 86`,
      );
    },
  );
});

describe('text', () => {
  it.each(['a\nb', 'a\tb', 'a\0b', 'a\u007f', 'a\u0085', '\ud800'])('line refuses %j', (text) => {
    expect(line(10).safeParse(text).success).toBe(false);
  });

  it('replaces tabs and line breaks with one space before it counts characters', () => {
    expect(displayText(3).parse('a\r\n\t\n\u2028b')).toBe('a b');
    expect(displayText(3).parse('\u05d0\u200f')).toBe('\u05d0\u200f');
  });

  it.each([
    ['\u202e', 'U+202E (right-to-left override)'],
    ['\0', 'U+0000 (control character)'],
  ])('folded text refuses %j by name', (character, name) => {
    const { error } = displayText(10).safeParse(`a${character}b`);
    expect(error?.issues.map(({ message }) => message)).toEqual([`must not contain ${name}`]);
  });
});
