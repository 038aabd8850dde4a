import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldText } from './search-text.js';

const letters = [...'aAzZßẞſsSSKkİıiIΣσςµμÅåǅǆΐΰﬁıﬃ\u0307\u0301ա\u0587👩‍👩‍👧%_\'"\\ \n'];
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

it('foldText does not depend on the case of the text', () => {
  fc.assert(
    fc.property(text, (any) => {
      expect(foldText(any.toLowerCase())).toBe(foldText(any));
      expect(foldText(any.toUpperCase())).toBe(foldText(any));
      expect(foldText(foldText(any))).toBe(foldText(any));
    }),
  );
});
