import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/contract/api-error.js';
import type { WriteTransaction } from '../../src/storage/database.js';
import { openRepository } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());
afterEach(() => vi.restoreAllMocks());

const block = (transaction: WriteTransaction, id: string) =>
  transaction.insertInto('blocked_hosts').values({ id, reason: '', created_at: 0 });

it.each([new ApiError('PRECONDITION_FAILED', 'changed'), new Error('a defect')])(
  'a write that fails stores nothing, and the others of its group are stored once: %s',
  async (error) => {
    const organizationId = await stored.addOrganization('free');
    const otherId = await stored.addOrganization('free');
    const works = new Map<WriteTransaction, string[]>();
    const write = (id: string, owner = organizationId, failure?: Error) =>
      stored.database.writeDirectly(
        async (transaction) => {
          works.set(transaction, [...(works.get(transaction) ?? []), id]);
          await block(transaction, `${organizationId}-${id}`).execute();
          if (failure) throw failure;
        },
        { organizationId: owner },
      );
    const outcomes = await Promise.allSettled([
      write('before'),
      write('failing', otherId, error),
      write('after'),
    ]);
    const [first] = works.values();
    expect(first, 'organizations share a transaction').toEqual(
      expect.arrayContaining(['before', 'failing']),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rules = await stored.database.read
      .selectFrom('blocked_hosts')
      .select('id')
      .where('id', 'like', `${organizationId}%`)
      .orderBy('id')
      .execute();
    const ids = ['after', 'before'].map((id) => `${organizationId}-${id}`);
    expect(rules.map(({ id }) => id)).toEqual(ids);
  },
);
