import { describe, expect, it } from 'vitest';
import { QueueFullError } from '../fair-queue.js';
import { ListTimeoutError } from '../storage/database.js';
import type { UrlRepository } from './url-repository.js';
import { UrlService } from './url-service.js';

const page = { limit: 25, offset: 0 };

describe('a list that exceeds its time limit', () => {
  const error = new ListTimeoutError(1);
  const service = new UrlService({
    urls: {} as UrlRepository,
    listUrls: () => Promise.reject(error),
    passwords: { assertCapacity: () => {}, hashAll: async () => [] },
    clock: () => 0,
    newShortCode: () => 'AAAAAAA',
    isReserved: () => false,
    onChanged: () => {},
  });

  it('is a validation error of the field search when it is a search', async () => {
    await expect(service.list('organization', { ...page, search: 'a' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'search', message: expect.stringContaining('takes longer than 10 s') }],
    });
  });

  it('is unavailable otherwise', async () => {
    await expect(service.list('organization', page)).rejects.toBe(error);
  });
});

describe('a bulk create with passwords', () => {
  const items = [
    { targetUrl: 'https://example.com/', isPasswordProtected: true, password: 'abcdef' },
  ];
  const request = { organizationId: 'organization', key: 'key', fingerprint: 'hash', now: 0 };
  const stored = { created: [{ index: 0, id: 1, shortCode: 'AAAAAAA' }], errors: [] };
  const full = new QueueFullError('passwords', 'full', 1);

  function open(findFirstResult: () => Promise<unknown>) {
    const calls: string[] = [];
    const service = new UrlService({
      urls: { findFirstResult } as unknown as UrlRepository,
      listUrls: () => Promise.reject(new Error('no list is expected')),
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
      clock: () => 0,
      newShortCode: () => 'AAAAAAA',
      isReserved: () => {
        calls.push('isReserved');
        return false;
      },
      onChanged: () => {},
    });
    return { service, calls };
  }

  it('is refused by a full queue before its items are checked', async () => {
    const { service, calls } = open(async () => undefined);
    await expect(service.bulkCreate('organization', items, request)).rejects.toBe(full);
    await expect(service.bulkCreate('organization', items, undefined)).rejects.toBe(full);
    await expect(service.bulkUpdate('organization', items)).rejects.toBe(full);
    expect(calls).toEqual(Array(3).fill('assertCapacity organization 1'));
  });

  it('returns the stored result when its key was used before', async () => {
    const { service, calls } = open(async () => ({ result: stored, replayed: true }));
    const repeated = await service.bulkCreate('organization', items, request);
    expect(repeated).toEqual({ ...stored, replayed: true });
    expect(calls).toEqual([]);
  });
});
