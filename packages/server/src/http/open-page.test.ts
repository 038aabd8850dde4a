import { describe, expect, it } from 'vitest';
import type { Position } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import { type ListIdentity, openPage } from './open-page.js';

const list: ListIdentity = { name: 'things', organizationId: 'o', ids: 'integer' };
const query = { limit: 10, tag: 'a' };

function nextAfterOf(identity: ListIdentity, page: PageText<unknown>): string {
  return JSON.parse(openPage(identity, query).reply(page).json).nextAfter;
}

/** Returns a cursor with a correct digest. */
function forge(next: Position, total = 1): string {
  return nextAfterOf(list, { total, items: '[]', count: 0, next });
}

const open = (after: string, identity = list) => openPage(identity, { ...query, after });

describe('openPage', () => {
  it('ignores filters without a value, and the order of filters', () => {
    const after = forge([7, 42]);
    const same = { category: undefined, after, tag: 'a', limit: 1 };
    expect(openPage(list, same).filter.after).toEqual([7, 42]);
  });

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
    const texts: ListIdentity = { ...list, ids: 'text' };
    for (const id of ['a\0b', 'a'.repeat(201)]) {
      const after = nextAfterOf(texts, { total: 1, items: '[]', count: 0, next: [7, id] });
      expect(() => open(after, texts)).toThrow('after must be the nextAfter');
    }
  });
});
