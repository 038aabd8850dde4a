import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvHeader, toCsvLine } from '../../../server/src/urls/url-csv.js';
import { createFields } from './url-fields.js';

const word = fc.string({
  unit: fc.constantFrom(
    "'",
    '=',
    '+',
    '-',
    '@',
    '|',
    '[',
    ']',
    '"',
    ',',
    ' ',
    '\r',
    'a',
    'ü',
    '🌷',
  ),
  minLength: 1,
});
const text = fc.option(word);
const origins = { scheme: 'https://', shortDomain: 'sho.example' };

const link = fc.record({
  targetUrl: word,
  externalId: text,
  title: text,
  description: text,
  category: text,
  tags: fc.array(word.filter((tag) => !tag.includes('\r'))),
  activatesAt: fc.option(fc.nat()),
  expiresAt: fc.option(fc.nat()),
  expiredUrl: text,
  maxClicks: fc.option(fc.integer({ min: 1 })),
  utmSource: text,
  utmMedium: text,
  utmCampaign: text,
  utmTerm: text,
  utmContent: text,
  customUtmParams: fc.dictionary(word, word, { noNullPrototype: true }),
  sourceDomain: text,
  clickThresholds: fc.option(fc.array(fc.integer({ min: 1 }), { minLength: 1 })),
  forwardQuery: fc.option(fc.boolean()),
  forwardPath: fc.option(fc.boolean()),
  preview: fc.option(fc.record({ title: word, description: text, imageUrl: text })),
  rules: fc.array(fc.record({ when: fc.record({ os: fc.array(word) }), targetUrl: word })),
});

it('an import reads each value of an exported link', () => {
  fc.assert(
    fc.property(link, (fields) => {
      const url = {
        id: 1,
        organizationId: 'organization',
        domainId: null,
        hostname: null,
        shortCode: 'aB3xY9q',
        customSlug: null,
        redirectType: 307,
        passwordHash: null,
        isActive: true,
        deletedAt: null,
        clickCount: 0,
        excludedClicks: 0,
        erasedClicks: 0,
        usedClicks: 0,
        importedClicks: 3,
        lastClickAt: null,
        takenDownAt: null,
        takedownReason: null,
        createdAt: 0,
        updatedAt: 0,
        ...fields,
      } as const;
      const [row] = parse<Record<string, string>>(csvHeader + toCsvLine(url, origins, -1), {
        columns: true,
        record_delimiter: '\n',
      });
      const toTime = (at: number | null) => (at === null ? null : new Date(at).toISOString());
      const expected = {
        ...fields,
        activatesAt: toTime(fields.activatesAt),
        expiresAt: toTime(fields.expiresAt),
        redirectType: 307,
        isActive: true,
        importedClicks: 3,
      };
      for (const [name, value] of Object.entries(expected)) {
        const cell = row?.[name] ?? '';
        // The import leaves the field of an empty cell unset.
        const isEmpty = value === null || Object.keys(Object(value)).length === 0;
        if (cell === '') expect([name, isEmpty && typeof value !== 'number']).toEqual([name, true]);
        else expect([name, createFields.fields[name]?.(cell)]).toEqual([name, { value }]);
      }
    }),
  );
});
