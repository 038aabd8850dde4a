import { describe, expect, it } from 'vitest';
import { QueueFullError } from '../fair-queue.js';
import { ListTimeoutError } from '../storage/database.js';
import { type UrlHandlerOptions, urlHandlers } from './url-handlers.js';
import type { UrlRepository } from './url-repository.js';

const page = { limit: 25, offset: 0, sort: 'createdAt' } as const;
const request = {
  params: undefined,
  query: undefined,
  write: undefined,
  caller: {
    client: { id: 'client' },
    apiKey: null,
    restriction: undefined,
    user: null,
    organizationId: 'organization',
    scopes: new Set<string>(),
  },
  headers: {},
  address: '127.0.0.1',
};

function handlersWith(options: Partial<UrlHandlerOptions>) {
  return urlHandlers({
    urls: {} as UrlRepository,
    listUrls: () => Promise.reject(new Error('no list is expected')),
    exportUrls: () => Promise.reject(new Error('no export is expected')),
    passwords: { assertCapacity: () => {}, hashAll: async () => [] },
    origins: () => ({ scheme: 'https://', shortDomain: 'sho.example' }),
    clock: () => 0,
    newShortCode: () => 'AAAAAAA',
    isReserved: () => false,
    eraseUrl: () => Promise.reject(new Error('no erasure is expected')),
    findTargetErrors: async () => [],
    fetchTitle: () => {},
    onChanged: () => {},
    ...options,
  });
}

describe('a list that exceeds its time limit', () => {
  const error = new ListTimeoutError();
  const { listUrls } = handlersWith({ listUrls: () => Promise.reject(error) });
  const list = (query: { search?: string; sort?: 'title' }) =>
    listUrls({ ...request, body: undefined, query: { ...page, ...query } });

  it('is a validation error of the field search when it is a search', async () => {
    await expect(list({ search: 'a' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'search', message: expect.stringContaining('takes longer than 10 s') }],
    });
  });

  it('is a validation error of the field sort when it is sorted by another field', async () => {
    await expect(list({ sort: 'title' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'sort', message: expect.stringContaining('takes longer than 10 s') }],
    });
  });

  it('is unavailable otherwise', async () => {
    await expect(list({})).rejects.toBe(error);
  });
});

describe('a bulk create with passwords', () => {
  const items = [
    { targetUrl: 'https://example.com/', isPasswordProtected: true, password: 'abcdef' },
  ];
  const write = {
    idempotency: { organizationId: 'organization', key: 'key', fingerprint: 'hash', now: 0 },
    origin: {
      entryId: 'entry',
      actorType: 'client',
      actorId: 'client',
      address: null,
      operation: 'bulkCreateUrls',
      fields: [],
      clock: () => 0,
    },
  } as const;
  const stored = { createdAt: 0, outcomes: [{ status: 'created', id: 1, shortCode: 'AAAAAAA' }] };
  const full = new QueueFullError('passwords', 'full');

  function open(findFirstResult: () => Promise<unknown>) {
    const calls: string[] = [];
    const handlers = handlersWith({
      urls: { findFirstResult } as unknown as UrlRepository,
      passwords: {
        assertCapacity: (organizationId, count) => {
          calls.push(`assertCapacity ${organizationId} ${count}`);
          throw full;
        },
        hashAll: async () => {
          calls.push('hashAll');
          return [];
        },
      },
      isReserved: () => {
        calls.push('isReserved');
        return false;
      },
    });
    const create = (key?: typeof write) =>
      handlers.bulkCreateUrls({ ...request, body: { urls: items }, write: key });
    const update = (key?: typeof write) =>
      handlers.bulkUpdateUrls({ ...request, body: { updates: items }, write: key });
    return { create, update, calls };
  }

  it('is refused by a full queue before its items are checked', async () => {
    const { create, update, calls } = open(async () => undefined);
    await expect(create(write)).rejects.toBe(full);
    await expect(create()).rejects.toBe(full);
    await expect(update()).rejects.toBe(full);
    await expect(update(write)).rejects.toBe(full);
    expect(calls).toEqual(Array(4).fill('assertCapacity organization 1'));
  });

  it('returns the stored result when its key was used before', async () => {
    const { create, calls } = open(async () => ({ result: stored, replayed: true }));
    expect(await create(write)).toMatchObject({
      replayed: true,
      data: { created: [{ index: 0, id: '1', shortCode: 'AAAAAAA' }], errors: [] },
    });
    expect(calls).toEqual([]);
  });

  it('returns the stored result of an update when its key was used before', async () => {
    const { update, calls } = open(async () => ({ result: [], replayed: true }));
    expect(await update(write)).toMatchObject({ status: 207, replayed: true });
    expect(calls).toEqual([]);
  });
});
