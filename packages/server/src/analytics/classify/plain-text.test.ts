import { describe, expect, it } from 'vitest';
import { plainText } from './plain-text.js';

describe('plainText', () => {
  it.each([
    ['Chrome', 64, 'Chrome'],
    ['', 64, ''],
    ['  a  ', 64, 'a'],
    ['a\tb\r\nc', 64, 'a b c'],
    ['\u0000a\u001b[31mb\u007f', 64, 'a [31mb'],
    ['a\u0085b\u2028c\u2029d', 64, 'a b c d'],
    ['\n\n', 64, ''],
    ['abcdef', 3, 'abc'],
    ['ab\u{1f600}', 3, 'ab'],
    ['a\ud800b', 64, 'a\ufffdb'],
    ['Jose\u0301', 4, 'Jos\u00e9'],
    ['Jos\u00e9 \u4f60\u597d', 64, 'Jos\u00e9 \u4f60\u597d'],
  ])('%j within %i is %j', (text, max, plain) => {
    expect(plainText(text, max)).toBe(plain);
  });
});
