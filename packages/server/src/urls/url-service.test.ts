import { describe, expect, it } from 'vitest';
import { ListTimeoutError } from '../storage/database.js';
import type { UrlRepository } from './url-repository.js';
import { UrlService } from './url-service.js';

const page = { limit: 25, offset: 0 };

describe('a list that takes too long', () => {
  const error = new ListTimeoutError(1);
  const service = new UrlService({
    urls: {} as UrlRepository,
    listUrls: () => Promise.reject(error),
    passwords: { hashAll: async () => [] },
    clock: () => 0,
    newShortCode: () => 'AAAAAAA',
    isReserved: () => false,
    onChanged: () => {},
  });

  it('is refused by the name of the field when it is a search', async () => {
    await expect(service.list('organization', { ...page, search: 'a' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'search', message: expect.stringContaining('takes longer than 10 s') }],
    });
  });

  it('is unavailable when it is not', async () => {
    await expect(service.list('organization', page)).rejects.toBe(error);
  });
});
