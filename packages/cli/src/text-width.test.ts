import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, displayWidth, fitText } from './text-width.js';

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
