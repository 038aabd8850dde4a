import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutText, displayWidth, fitText, wrapText } from './text-width.js';

test.each([
  ['Firefox', 7],
  ['', 0],
  ['Zürich', 6],
  ['Zu\u0308rich', 6],
  ['東京', 4],
  ['한국', 4],
  ['🎈', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['a\u200bb', 2],
])('the width of %s is %d columns', (text, width) => expect(displayWidth(text)).toBe(width));

test.each([
  ['Firefox', 9, 'Firefox  '],
  ['Firefox', 7, 'Firefox'],
  ['Firefox', 5, 'Fire…'],
  ['東京タワー', 7, '東京タ…'],
  // The next character would need the column of the ellipsis.
  ['東京タワー', 6, '東京… '],
  ['a\u001b[31m', 8, 'a\u{fffd}[31m  '],
  ['long', 1, '…'],
  ['long', 0, ''],
])('%j in %d columns: %j', (text, width, expected) => expect(fitText(text, width)).toBe(expected));

test('a text is truncated or padded to the exact width', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, width) => {
      expect(displayWidth(cutText(text, width))).toBeLessThanOrEqual(width);
      expect(displayWidth(fitText(text, width))).toBe(width);
    }),
  );
});

describe('wrapText', () => {
  test('breaks lines at spaces, and keeps their indentation', () => {
    expect(wrapText('shorty: a sentence that is long\n  hint of several words', 16)).toBe(
      'shorty: a\nsentence that is\nlong\n  hint of\n  several words',
    );
  });

  test('keeps words and commands whole, because users copy them', () => {
    expect(wrapText('see https://example.com/long here', 12)).toBe(
      'see\nhttps://example.com/long\nhere',
    );
    expect(wrapText('to undo: shorty urls bulk-update undo.csv', 20)).toBe(
      'to undo:\nshorty urls bulk-update undo.csv',
    );
  });

  test('breaks a text of wide characters, which has no spaces', () => {
    expect(wrapText('東京の春のセール', 7)).toBe('東京の\n春のセ\nール');
  });

  test('loses no word, and breaks only at spaces', () => {
    const word = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 });
    const text = fc
      .array(word.map((each) => each.replaceAll(/[\s\\]/g, 'x')))
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (line, width) => {
        const lines = wrapText(line, width).split('\n');
        expect(lines.join(' ').split(/ +/)).toEqual(line.split(/ +/));
        for (const each of lines.map((part) => part.trim())) {
          if (each.includes(' ')) expect(displayWidth(each)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
