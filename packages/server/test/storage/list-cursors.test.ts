import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { scopes } from '../../src/contract/define-route.js';
import { type Call, type Caller, startServer } from '../api/start-server.js';

const target = { targetUrl: 'https://example.com/' };
const lists = ['listDomains', 'listWebhooks', 'listQrs', 'listApiKeys'] as const;

interface Page {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly items: readonly { readonly id: string }[];
  readonly nextAfter: string | null;
}

const api = await startServer({ allowPrivateNetwork: true });
afterAll(() => api.stop());

const newcomer = async () => api.signIn(await api.createOrganization('enterprise', scopes));

const createLink = async (caller: Caller) => (await caller.createLink(target)).id;

// The filter makes each page read more links than it returns.
async function read(caller: Caller, query: Call['query']): Promise<Page> {
  const response = await caller.call('listUrls', { query: { isActive: true, ...query } });
  expect(response.status).toBe(200);
  return response.data;
}

/** What happens between two pages: a link is created, an earlier one leaves the list, time passes. */
type Change =
  | { readonly type: 'create' }
  | { readonly type: 'remove'; readonly at: number }
  | { readonly type: 'wait' };
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant({ type: 'create' } as const),
  fc.record({ type: fc.constant('remove' as const), at: fc.nat(20) }),
  fc.constant({ type: 'wait' } as const),
);

// All lists are read by one statement.
it('nextAfter returns each link that stays once, newest first, and none that is created meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }),
      async (pauses, limit, changes) => {
        const caller = await newcomer();
        const before: string[] = [];
        for (const pause of pauses) {
          before.unshift(await createLink(caller));
          if (pause) api.clock.advance(1);
        }
        const left = new Set<string>();
        async function apply(each: Change): Promise<void> {
          if (each.type === 'create') await createLink(caller);
          else if (each.type === 'wait') api.clock.advance(1);
          else {
            const id = before[each.at % before.length] as string;
            await caller.call('deleteUrl', { params: { id } });
            left.add(id);
          }
        }
        const found: string[] = [];
        let page = await read(caller, { limit });
        expect(page.total).toBe(before.length);
        for (let number = 0; ; number += 1) {
          expect(page).toMatchObject({ total: before.length, limit, offset: found.length });
          found.push(...page.items.map(({ id }) => id));
          if (page.nextAfter === null) break;
          const query = { limit, after: page.nextAfter };
          [page] = await Promise.all([read(caller, query), ...(changes[number] ?? []).map(apply)]);
        }
        expect(found).toEqual(before.filter((id) => found.includes(id)));
        expect(before.filter((id) => !left.has(id) && !found.includes(id))).toEqual([]);
      },
    ),
    { numRuns: 15 },
  );
}, 120_000);

describe('a cursor', () => {
  const refused = expect.stringMatching(/^must be the nextAfter of a page of this list/);

  async function cursorOf(caller: Caller): Promise<string> {
    await createLink(caller);
    await createLink(caller);
    return (await read(caller, { limit: 1 })).nextAfter as string;
  }

  async function refusal(
    caller: Caller,
    operation: 'listUrls' | (typeof lists)[number],
    call: Call,
  ) {
    const response = await caller.call(operation, call);
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['after']);
    return response.error.details?.[0]?.message;
  }

  it('is refused when it is cut, extended or invented', async () => {
    const caller = await newcomer();
    const after = await cursorOf(caller);
    const others = [after.slice(1), after.slice(0, -1), `${after}A`, `${after}=`, 'a', 'W10'];
    for (const text of others) {
      const query = { isActive: true, after: text };
      expect(await refusal(caller, 'listUrls', { query })).toEqual(refused);
    }
    const tooLong = { query: { after: 'a'.repeat(1_025) } };
    expect(await refusal(caller, 'listUrls', tooLong)).toContain('at most 1024');
  });

  it('is refused with another filter or order, and accepted with another limit and the default order', async () => {
    const caller = await newcomer();
    const after = await cursorOf(caller);
    const filters = [{}, { isActive: false }, { isActive: true, tag: 'a' }, { search: 'true' }];
    const orders = [{ order: 'asc' }, { sort: 'clickCount' }];
    const others = [...filters, ...orders.map((order) => ({ isActive: true, ...order }))];
    for (const other of others) {
      const query = { ...other, after };
      expect(await refusal(caller, 'listUrls', { query })).toEqual(refused);
    }
    const order = { sort: 'createdAt', order: 'desc' };
    const query = { isActive: true, limit: 100, ...order, after };
    expect((await caller.call('listUrls', { query })).data.items).toHaveLength(1);
  });

  it('is refused by lists with other ids, and reaches no link of another organization', async () => {
    const caller = await newcomer();
    const after = await cursorOf(caller);
    for (const operation of lists) {
      expect(await refusal(caller, operation, { query: { after } })).toEqual(refused);
    }
    expect((await read(await newcomer(), { after })).items).toEqual([]);
  });

  it('continues a list that was entered by an offset', async () => {
    const caller = await newcomer();
    const urls = Array.from({ length: 5 }, () => target);
    await caller.call('bulkCreateUrls', { body: { urls } });
    const { data: all } = await caller.call('listUrls');
    const { data: first } = await caller.call('listUrls', { query: { limit: 2, offset: 1 } });
    const query = { after: first.nextAfter as string };
    const { data: rest } = await caller.call('listUrls', { query });
    expect([...first.items, ...rest.items]).toEqual(all.items.slice(1));
    expect(rest).toMatchObject({ total: 5, offset: 3, nextAfter: null });
  });
});
