import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { summarize } from './api-error.js';
import { parseInput, secretNames } from './parse-input.js';

const schema = z.strictObject({
  name: z.string().min(2).max(4).optional(),
  count: z.int().max(9).optional(),
  kind: z.enum(['a', 'b']).optional(),
  events: z.array(z.enum(['url.created', 'url.updated'], 'must be one of them')).optional(),
  tags: z.array(z.string()).max(2).optional(),
  items: z.array(z.strictObject({ at: z.number() })).optional(),
  password: z.string().optional(),
  names: z.record(z.string().regex(/^[a-z]+$/, 'must be lower case'), z.string()).optional(),
});

function errorsOf(input: unknown, base?: PropertyKey[]): string[] {
  const parsed = parseInput(schema, input, base);
  return parsed.ok ? [] : parsed.details.map(({ path, message }) => `${path}: ${message}`);
}

describe('parseInput', () => {
  it.each([
    [{ name: 'a' }, 'name: is "a": it must be at least 2 characters long'],
    [{ count: 10 }, 'count: is 10: it must be at most 9'],
    [{ kind: 'c' }, 'kind: is "c": it must be one of "a", "b"'],
    [
      { events: ['url.creatd'] },
      'events[0]: is "url.creatd": it must be one of them; did you mean url.created?',
    ],
    [{ names: { A: 'a' } }, 'names.A: has the name "A": it must be lower case'],
    [{ tags: ['a', null] }, 'tags[1]: is null: it must be a string'],
    [{ items: [{ at: 1 }, {}] }, 'items[1].at: is required (a number)'],
    [{ nmae: 'ab' }, 'nmae: is not a known field here: did you mean name?'],
    [{ customSlug: 'ab' }, 'customSlug: is not a known field here'],
    [[], ': is a list: it must be a JSON object'],
    [{ password: 1 }, 'password: must be a string'],
    [
      { name: 'x'.repeat(300) },
      `name: is "${'x'.repeat(100)}…": it must be at most 4 characters long`,
    ],
  ])('reports for %j: %s', (input, error) => {
    expect(errorsOf(input)).toEqual([error]);
  });

  it('limits the number of errors and the length of paths', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, at]));
    expect(errorsOf(many)).toHaveLength(100);
    const parsed = parseInput(schema, { ['x'.repeat(100_000)]: 1 });
    expect(parsed.ok || parsed.details[0]?.path.length).toBe(201);
  });
});

test('no error repeats a field of the contract that is a password', () => {
  const contract = readFileSync(new URL('../../../../openapi.yaml', import.meta.url), 'utf8');
  const passwords: string[] = [];
  const collect = (name: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('format' in value && value.format === 'password') passwords.push(name);
    for (const [key, each] of Object.entries(value)) collect(key, each);
  };
  collect('', parse(contract));
  expect(passwords.length).toBeGreaterThan(2);
  for (const name of passwords) expect(name).toMatch(secretNames);
});

it.each([
  [[], 'The request is not valid'],
  [[{ path: 'a', message: 'is odd' }], 'a is odd'],
  [
    [
      { path: 'a', message: 'is odd' },
      { path: 'b', message: 'too' },
      { path: 'c', message: 'too' },
    ],
    'a is odd (and 2 more)',
  ],
])('summarize summarizes %j as: %s', (details, sentence) => {
  expect(summarize(details)).toBe(sentence);
});
