import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeInPayload, ExportNames } from './export-names.js';

const id = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const other = '0192f0c1-2b7d-7c3e-9a51-aaaaaaaaaaaa';
const third = '0192f0c1-2b7d-7c3e-9a51-bbbbbbbbbbbb';

describe('ExportNames.nameOf', () => {
  test('uses the id of a QR code without a link', () => {
    expect(new ExportNames().nameOf({ id, format: 'webp' }, undefined)).toBe(`qr-${id}.webp`);
  });

  test('adds a part of the id when another QR code has the name', () => {
    const names = new ExportNames();
    names.nameOf({ id, format: 'png' }, 'sale');
    expect(names.nameOf({ id: other, format: 'png' }, 'sale')).toBe('sale-aaaaaaaaaaaa.png');
    // Some file systems take these two for one.
    expect(names.nameOf({ id: third, format: 'png' }, 'SALE')).toBe('SALE-bbbbbbbbbbbb.png');
  });

  test('keeps the names of earlier exports in any order', () => {
    const names = new ExportNames([
      { id: other, file: 'sale.png' },
      { id, file: 'sale-3f1d2b6c8e47.png' },
    ]);
    expect(names.nameOf({ id, format: 'png' }, 'sale')).toBe('sale-3f1d2b6c8e47.png');
    expect(names.nameOf({ id: other, format: 'png' }, 'sale')).toBe('sale.png');
    expect(names.nameOf({ id: other, format: 'svg' }, 'sale')).toBe('sale.svg');
  });

  test.each([
    'con',
    'NUL',
    'com1',
    '../up',
    'a/b',
    'a\\b',
    '..',
    '',
    '-rf',
    '.hidden',
    'a\0b',
    'ü',
  ])('uses the id for the unsafe key %j', (key) => {
    expect(new ExportNames().nameOf({ id, format: 'png' }, key)).toBe(`qr-${id}.png`);
  });
});

test('a name is one path segment for any server response', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, tail) => {
      expect(new ExportNames().nameOf({ id, format: 'png' }, key)).toMatch(/^[A-Za-z0-9-]+\.png$/);
      const hostile = { id: `${id}${tail}x`, format: 'png' } as const;
      expect(() => new ExportNames().nameOf(hostile, key)).toThrow('invalid id');
      const odd = { id, format: `png${tail}x` as 'png' };
      expect(() => new ExportNames().nameOf(odd, key)).toThrow('unknown format');
    }),
  );
});

test.each([
  ['https://sho.example/aB3xY9q', 'aB3xY9q'],
  ['https://sho.example/q/aB3xY9q', 'aB3xY9q'],
  ['https://sho.example/', undefined],
  ['no address', undefined],
])('the short code in %s is %s', (payload, code) => {
  expect(codeInPayload(payload)).toBe(code);
});
