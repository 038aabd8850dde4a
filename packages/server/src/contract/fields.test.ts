import { describe, expect, it } from 'vitest';
import { displayText, timestamp } from './fields.js';

it.each([
  ['2031-01-01', '2031-01-01T00:00:00.000Z'],
  ['2030-12-31T23:59', '2030-12-31T23:59:00.000Z'],
  ['2030-12-31T23:59:59.123456Z', '2030-12-31T23:59:59.123Z'],
  ['2030-12-31T23:59-02', '2031-01-01T01:59:00.000Z'],
  ['2030-12-31 23:59:59 +0200', '2030-12-31T21:59:59.000Z'],
  // The plus of a query that is not escaped.
  ['2030-12-31T23:59:59 02:00', '2030-12-31T21:59:59.000Z'],
])('timestamp returns %s in the full form', (text, full) => {
  expect(timestamp.parse(text)).toBe(full);
});

describe('text', () => {
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
