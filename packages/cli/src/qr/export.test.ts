import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameOf } from './export.js';

const id = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const other = '0192f0c1-2b7d-7c3e-9a51-aaaaaaaaaaaa';
const third = '0192f0c1-2b7d-7c3e-9a51-bbbbbbbbbbbb';

describe('nameOf', () => {
  test('uses the id of a QR code without a link', () => {
    expect(nameOf({ id, format: 'webp' }, undefined, new Set())).toBe(`qr-${id}.webp`);
  });

  test('adds a part of the id when another QR code has the name', () => {
    const taken = new Set<string>();
    nameOf({ id, format: 'png' }, 'sale', taken);
    expect(nameOf({ id: other, format: 'png' }, 'sale', taken)).toBe('sale-aaaaaaaaaaaa.png');
    // Some file systems take these two for one.
    expect(nameOf({ id: third, format: 'png' }, 'SALE', taken)).toBe('SALE-bbbbbbbbbbbb.png');
  });

  // Windows reserves the first of these names, and the last would be an option.
  test.each(['con', 'NUL', 'com1', '-rf'])('uses the id for the unsafe key %j', (key) => {
    expect(nameOf({ id, format: 'png' }, key, new Set())).toBe(`qr-${id}.png`);
  });
});

test('a name is one path segment for any server response', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, tail) => {
      expect(nameOf({ id, format: 'png' }, key, new Set())).toMatch(/^[A-Za-z0-9-]+\.png$/);
      const hostile = { id: `${id}${tail}x`, format: 'png' } as const;
      expect(() => nameOf(hostile, key, new Set())).toThrow('invalid id');
      const odd = { id, format: `png${tail}x` as 'png' };
      expect(() => nameOf(odd, key, new Set())).toThrow('unknown format');
    }),
  );
});
