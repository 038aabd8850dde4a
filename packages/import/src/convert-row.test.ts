import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseText } from './cell-values.js';
import { planColumns } from './column-plan.js';
import { type ConvertOptions, convertRow } from './convert-row.js';
import { createFields, updateFields } from './url-fields.js';
import { guardFormula, unguardFormula } from './write-csv.js';

function convert(row: Readonly<Record<string, string>>, options: ConvertOptions = {}) {
  const set = 'id' in row ? updateFields : createFields;
  const plan = planColumns(Object.keys(row), set, { map: new Map(), ignore: new Set() });
  return convertRow({ line: 2, raw: '', cells: Object.values(row) }, plan, options);
}

const url = 'https://example.com';

test('cells are trimmed, and an empty cell leaves its field unset', () => {
  expect(convert({ url: ` ${url} `, title: ' ', slug: '', tags: '\t' })).toEqual({
    item: { targetUrl: url },
  });
});

describe('values', () => {
  test.each([
    ['tags', '["a|b","c"]', { tags: ['a|b', 'c'] }],
    ['tags', '[draft]|x', { tags: ['[draft]', 'x'] }],
    ['redirect_type', '301', { redirectType: 301 }],
    ['is_password_protected', 'YES', { isPasswordProtected: true }],
    ['is_password_protected', '0', { isPasswordProtected: false }],
    ['password', 'x', { password: 'x', isPasswordProtected: true }],
    ['customUtmParams', '{"ref":"a"}', { customUtmParams: { ref: 'a' } }],
    ['preview', '{"title":"Sale"}', { preview: { title: 'Sale' } }],
    ['rules', '[{"when":{}}]', { rules: [{ when: {} }] }],
    ['external_id', 'camp-1', { externalId: 'camp-1' }],
    ['if_exists', 'return', { ifExists: 'return' }],
    ['title', "'=1+1", { title: '=1+1' }],
    ['title', "'tis", { title: "'tis" }],
    ['title', '-5', { title: '-5' }],
    ['title', '__proto__', { title: '__proto__' }],
  ])('%s %j', (column, cell, expected) => {
    expect(convert({ url, [column]: cell })).toEqual({ item: { targetUrl: url, ...expected } });
  });

  test('utm_* columns override customUtmParams', () => {
    const row = { url, customUtmParams: '{"utm_id":"1","ref":"a"}', utm_id: '2' };
    expect(convert(row)).toMatchObject({ item: { customUtmParams: { utm_id: '2', ref: 'a' } } });
  });

  test('an explicit isPasswordProtected overrides the default', () => {
    const row = { url, password: 'x', isPasswordProtected: 'no' };
    expect(convert(row)).toMatchObject({ item: { isPasswordProtected: false } });
  });

  test.each([
    ['redirectType', '-1', 'redirectType must be a whole number'],
    ['customUtmParams', '[1]', 'customUtmParams must be a JSON object'],
    ['expiresAt', '31.02.2030', 'expiresAt is "31.02.2030": there is no such date or time'],
  ])('%s %j is an error of the row', (column, cell, error) => {
    expect(convert({ url, [column]: cell })).toEqual({ error: expect.stringContaining(error) });
  });
});

test('a value in an unnamed column is an error, an empty cell is not', () => {
  expect(convert({ url, '': 'x' })).toEqual({
    error: 'column 2 has a value but no name in the header',
  });
  expect(convert({ url, '': ' ' })).toEqual({ item: { targetUrl: url } });
});

test('the null cell clears a field in updates, and is text elsewhere', () => {
  expect(convert({ id: '7', title: '\\N' }, { nullCell: '\\N' })).toEqual({
    item: { id: '7', title: null },
  });
  expect(convert({ url, title: '\\N' })).toEqual({ item: { targetUrl: url, title: '\\N' } });
});

const text = fc.string({
  unit: fc.constantFrom("'", '=', '+', '-', '@', '|', '[', ']', '"', 'a'),
});

test('exported cells are read back unchanged', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(unguardFormula(guardFormula(value))).toBe(value);
      expect(parseText(guardFormula(value))).toEqual({ value });
      expect(guardFormula(value)).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});
