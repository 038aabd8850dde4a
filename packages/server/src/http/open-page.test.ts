import { describe, expect, it } from 'vitest';
import type { Position } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import { openPage } from './open-page.js';

function forge(next: Position, total = 1): string {
  const page: PageText<unknown> = { total, items: '[]', count: 0, next };
  return JSON.parse(openPage({ limit: 10 }).reply(page).json).nextAfter;
}

const open = (after: string, ids: 'integer' | 'text' = 'integer') =>
  openPage({ limit: 10, after }, ids);

describe('openPage', () => {
  it.each([
    [['text', 42], 1],
    [[1.5, 42], 1],
    [[7, 'text'], 1],
    [[7, 2 ** 60], 1],
    [[7, 42], -1],
    [[7, 42, 1] as never, 1],
  ] as [Position, number][])('refuses the forged position %j with the total %i', (next, total) => {
    expect(() => open(forge(next, total))).toThrow('after must be the nextAfter');
  });

  it('refuses a forged id that storage cannot compare', () => {
    for (const id of ['a\0b', 'a'.repeat(201)]) {
      expect(() => open(forge([7, id]), 'text')).toThrow('after must be the nextAfter');
    }
  });
});
