import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { maxDepth, maxTextBytes, maxValues, parseJson } from './parse-json.js';

const parse = (text: string) => parseJson(Buffer.from(text));
const ofList = (count: number) => `[${Array(count).fill(1).join()}]`;

function outcomeOf(work: () => unknown): unknown {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ApiError) return 'not JSON';
    throw error;
  }
}

it('returns the same value as JSON.parse', () => {
  const json = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value));
  // Mostly JSON with one changed character.
  const broken = fc
    .tuple(json, fc.nat(), fc.constantFrom('', ...'[]{},:"\\1 \u0000'), fc.boolean())
    .map(([text, seed, mark, replaces]) => {
      const at = seed % (text.length + 1);
      return text.slice(0, at) + mark + text.slice(at + (replaces ? 1 : 0));
    });
  fc.assert(
    fc.property(fc.oneof(json, broken), (text) => {
      expect(outcomeOf(() => parse(text))).toEqual(outcomeOf(() => JSON.parse(text)));
    }),
    { numRuns: 2_000 },
  );
});

it('ignores a byte order mark, and refuses bytes that are not UTF-8', () => {
  expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
  expect(() => parseJson(Buffer.from('{"a":"ü"}', 'latin1'))).toThrow('it is not UTF-8');
});

it('does not pollute the prototype, nor counts what a text contains', () => {
  const padded = `{"__proto__":{"polluted":1},"a":"[[{{,,\\"${'x'.repeat(maxTextBytes - 9)}"}`;
  const value = parse(padded) as object;
  expect(Object.hasOwn(value, '__proto__')).toBe(true);
  expect('polluted' in {}).toBe(false);
});

describe('beyond a limit', () => {
  it.each([
    ['levels', `{"a":${'['.repeat(maxDepth)}${']'.repeat(maxDepth)}}`, `at most ${maxDepth}`],
    ['values', `{"a":[${Array(100).fill(ofList(maxValues / 100))}]}`, `at most ${maxValues}`],
  ])('a body is refused: %s', (_, text, rule) => {
    expect(() => parse(text)).toThrow(rule);
  });

  it('a text is cut, so that its field refuses it and the others are read', () => {
    const text = 'x'.repeat(maxTextBytes);
    const value = parse(`{"a":["${text}","${text}yz"],"b":1}`);
    expect(value).toEqual({ a: [text, `${text}y`], b: 1 });
  });
});
