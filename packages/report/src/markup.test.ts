import { expect, test } from 'vitest';
import { escapeHtml, html } from './markup.js';

test.each([
  [`<b title="x" id='y'>&`, '&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;'],
  ['&lt;', '&amp;lt;'],
  ['a\u0000b\u001bc\u009fd', 'a\u{fffd}b\u{fffd}c\u{fffd}d'],
  ['\ud800 alone', '\u{fffd} alone'],
  ['two\nlines\tand 東京 🎈', 'two\nlines\tand 東京 🎈'],
])('%j is escaped as %j', (text, expected) => expect(escapeHtml(text)).toBe(expected));

test('nested markup is not escaped again, and other values are', () => {
  const rows = ['<1>', '<2>'].map((text) => html`<li>${text}</li>`);
  expect(html`<ul>${rows}${undefined}${7}${'&'}</ul>`.toString()).toBe(
    '<ul><li>&lt;1&gt;</li><li>&lt;2&gt;</li>7&amp;</ul>',
  );
});
