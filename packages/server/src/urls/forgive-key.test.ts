import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forgiveKey } from './forgive-key.js';
import { linkKey } from './url-keys.js';

describe('forgiveKey', () => {
  const endings = [
    ...['.', ',', ';', ':', '!', ')', ']', '}', '>', '"', "'", '*', '_', '-', '`', '~', '|', '...'],
    ...['%20', '%09', '%0A', '%22', '%3E', '%29', '%5D.', '%C2%A0', '%E2%80%9D', '%E2%80%99'],
    ...['%C2%BB', '%E2%80%A6', '%E3%80%82', '%EF%BC%8C', '%EF%BC%89', '%E2%80%8B', '%E2%80%94'],
  ];
  it.each(endings)('removes %s at the end', (ending) => {
    expect(forgiveKey(`spring-sale${ending}`)).toBe('spring-sale');
  });

  it.each([
    ...['', 'sale', 'a.', 'sa.', '.sale', 'sale.html', 'sale.x.', 'sale%2F', 'sale%5C', 'sale\\'],
    ...['sale/', 'sale%', 'sale%zz', 'sale%FF', 'sale%2E%2E%2Fx', 'sale%00', 'sale\u00e9', 'sale+'],
    ...['-sale.', `${'x'.repeat(51)}.`, `sale${'.'.repeat(61)}`, 'favicon.ico', 'robots.txt'],
  ])('refuses %s', (segment) => {
    expect(forgiveKey(segment)).toBeUndefined();
  });

  it('returns a key with which the segment begins, whatever a visitor sends', () => {
    const part = fc.constantFrom(
      'a',
      'B7',
      '-',
      '.',
      '%20',
      '%E2%80%9D',
      '%2f',
      '/',
      '\\',
      '_',
      '%',
    );
    const segment = fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), { maxLength: 12 });
    fc.assert(
      fc.property(segment, (parts) => {
        const text = parts.join('');
        const key = forgiveKey(text);
        if (key === undefined) return;
        expect(text.startsWith(key)).toBe(true);
        expect(key).toMatch(linkKey);
        expect(linkKey.test(text)).toBe(false);
      }),
    );
  });
});
