import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../src/contract/define-route.js';
import { type Call, type Caller, startServer, type TestServer } from '../api/start-server.js';

const target = { targetUrl: 'https://example.com/' };
const operations = [
  'listUrls',
  'listDomains',
  'listWebhooks',
  'listDeliveries',
  'listQrs',
  'listApiKeys',
] as const;

interface Page {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly items: readonly { readonly id: string }[];
  readonly nextAfter: string | null;
}

/** A list of the API, and how items come to it. */
interface List {
  readonly operation: (typeof operations)[number];
  readonly call: Call;
  create(): Promise<string>;
}

let api: TestServer;
beforeAll(async () => {
  api = await startServer({ allowPrivateNetwork: true });
});
afterAll(() => api.stop());

const newcomer = async () => api.signIn(await api.createOrganization('enterprise', scopes));

const receiver = { url: 'http://127.0.0.1:2/', events: ['qr.scan_threshold'] };
let created = 0;

const lists: Readonly<Record<(typeof operations)[number], (caller: Caller) => Promise<List>>> = {
  // The filter makes each page read more links than it returns.
  listUrls: async (caller) => ({
    operation: 'listUrls',
    call: { query: { isActive: true } },
    create: async () => (await caller.call('createUrl', { body: target })).data.id,
  }),
  listDomains: async (caller) => ({
    operation: 'listDomains',
    call: {},
    async create() {
      created += 1;
      const body = { hostname: `list${created}.example.com` };
      return (await caller.call('createDomain', { body })).data.id;
    },
  }),
  listWebhooks: async (caller) => ({
    operation: 'listWebhooks',
    call: {},
    create: async () => (await caller.call('createWebhook', { body: receiver })).data.id,
  }),
  async listDeliveries(caller) {
    const { id } = (await caller.call('createWebhook', { body: receiver })).data;
    return {
      operation: 'listDeliveries',
      call: { params: { id } },
      create: async () => (await caller.call('testWebhook', { params: { id } })).data.id,
    };
  },
  listApiKeys: async (caller) => ({
    operation: 'listApiKeys',
    call: {},
    create: async () => (await caller.call('createApiKey', { body: { name: 'key' } })).data.id,
  }),
  listQrs: async (caller) => ({
    operation: 'listQrs',
    call: {},
    create: async () =>
      (await caller.call('createQr', { body: { data: 'a text', size: 200 } })).data.id,
  }),
};

async function read(
  caller: Caller,
  { operation, call }: List,
  query: Call['query'],
): Promise<Page> {
  const response = await caller.call(operation, { ...call, query: { ...call.query, ...query } });
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

// All lists are read by one statement, whose plans query-plans.test.ts compares.
it('nextAfter returns each link that stays once, newest first, and none that is created meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }),
      async (pauses, limit, changes) => {
        const caller = await newcomer();
        const list = await lists.listUrls(caller);
        const before: string[] = [];
        for (const pause of pauses) {
          before.unshift(await list.create());
          if (pause) api.clock.advance(1);
        }
        const left = new Set<string>();
        async function apply(each: Change): Promise<void> {
          if (each.type === 'create') await list.create();
          else if (each.type === 'wait') api.clock.advance(1);
          else {
            const id = before[each.at % before.length] as string;
            await caller.call('deleteUrl', { params: { id } });
            left.add(id);
          }
        }
        const found: string[] = [];
        let page = await read(caller, list, { limit });
        expect(page.total).toBe(before.length);
        for (let number = 0; ; number += 1) {
          expect(page).toMatchObject({ total: before.length, limit, offset: found.length });
          found.push(...page.items.map(({ id }) => id));
          if (page.nextAfter === null) break;
          const query = { limit, after: page.nextAfter };
          [page] = await Promise.all([
            read(caller, list, query),
            ...(changes[number] ?? []).map(apply),
          ]);
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

  async function cursorOf(caller: Caller, list: List): Promise<string> {
    await list.create();
    await list.create();
    return (await read(caller, list, { limit: 1 })).nextAfter as string;
  }

  async function refusal(caller: Caller, operation: List['operation'], call: Call) {
    const response = await caller.call(operation, call);
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['after']);
    return response.error.details?.[0]?.message;
  }

  it('is refused when it is cut, extended or invented', async () => {
    const caller = await newcomer();
    const after = await cursorOf(caller, await lists.listUrls(caller));
    const others = [after.slice(1), after.slice(0, -1), `${after}A`, `${after}=`, 'a', 'W10'];
    for (const text of others) {
      const query = { isActive: true, after: text };
      expect(await refusal(caller, 'listUrls', { query })).toEqual(refused);
    }
    const tooLong = { query: { after: 'a'.repeat(1_025) } };
    expect(await refusal(caller, 'listUrls', tooLong)).toContain('at most 1024');
  });

  it('is refused with another filter, and accepted with another limit', async () => {
    const caller = await newcomer();
    const after = await cursorOf(caller, await lists.listUrls(caller));
    const filters = [{}, { isActive: false }, { isActive: true, tag: 'a' }, { search: 'true' }];
    for (const filter of filters) {
      const query = { ...filter, after };
      expect(await refusal(caller, 'listUrls', { query })).toEqual(refused);
    }
    const query = { isActive: true, limit: 100, after };
    expect((await caller.call('listUrls', { query })).data.items).toHaveLength(1);
  });

  it('is refused by every other list, and in another organization', async () => {
    const caller = await newcomer();
    const open = operations.map((operation) => lists[operation](caller));
    const opened: List[] = await Promise.all(open);
    const cursors: string[] = [];
    for (const list of opened) cursors.push(await cursorOf(caller, list));
    for (const [at, { operation, call }] of opened.entries()) {
      for (const [other, after] of cursors.entries()) {
        const page = { ...call, query: { ...call.query, after } };
        if (at === other) expect((await caller.call(operation, page)).status).toBe(200);
        else expect(await refusal(caller, operation, page)).toEqual(refused);
      }
    }
    const stranger = await newcomer();
    const query = { isActive: true, after: cursors[0] as string };
    expect(await refusal(stranger, 'listUrls', { query })).toEqual(refused);
    const webhook = (await caller.call('createWebhook', { body: receiver })).data;
    const ofOther = { params: { id: webhook.id }, query: { after: cursors[3] as string } };
    expect(await refusal(caller, 'listDeliveries', ofOther)).toEqual(refused);
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
