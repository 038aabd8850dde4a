import { expect, it } from 'vitest';
import { ListTimeoutError } from '../storage/database.js';
import { type UrlHandlerOptions, urlHandlers } from './url-handlers.js';

const error = new ListTimeoutError();
const options: Pick<UrlHandlerOptions, 'listUrls' | 'origins' | 'clock'> = {
  listUrls: () => Promise.reject(error),
  clock: () => 0,
  origins: () => ({ scheme: 'https://', shortDomain: 'sho.example' }),
};
const { listUrls } = urlHandlers(options as UrlHandlerOptions);

it.each<[string, { search?: string; sort?: 'title' }, string | undefined]>([
  ['a validation error of the field search when it is a search', { search: 'a' }, 'search'],
  ['a validation error of the field sort when it is sorted by another', { sort: 'title' }, 'sort'],
  ['unavailable otherwise', {}, undefined],
])('a list that exceeds its time limit is %s', async (_, chosen, path) => {
  const query = { limit: 25, offset: 0, sort: 'createdAt', ...chosen } as const;
  const message = expect.stringContaining('takes longer than 10 s');
  const expected = { code: 'VALIDATION_FAILED', details: [{ path, message }] };
  const request = { query, caller: { organizationId: 'organization' } };
  const reason = await listUrls(request as Parameters<typeof listUrls>[0]).catch((each) => each);
  if (path) expect(reason).toMatchObject(expected);
  else expect(reason).toBe(error);
});
