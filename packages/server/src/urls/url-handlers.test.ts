import { describe, expect, it } from 'vitest';
import { ListTimeoutError } from '../storage/database.js';
import { type UrlHandlerOptions, urlHandlers } from './url-handlers.js';
import type { UrlReader } from './url-reader.js';
import type { UrlWriter } from './url-writer.js';

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
    urls: {} as UrlReader,
    writer: {} as UrlWriter,
    listUrls: () => Promise.reject(new Error('no list is expected')),
    exportUrls: () => Promise.reject(new Error('no export is expected')),
    origins: () => ({ scheme: 'https://', shortDomain: 'sho.example' }),
    clock: () => 0,
    eraseUrl: () => Promise.reject(new Error('no erasure is expected')),
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
