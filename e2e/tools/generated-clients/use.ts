// Uses the client of each generator by the names that a reader of openapi.yaml expects.
import createOpenapiClient from 'openapi-fetch';
import type { components, paths } from './api.js';
import { createClient } from './hey/client/index.js';
import * as hey from './hey/index.js';
import * as orval from './orval/client.js';

type UrlRecord = components['schemas']['UrlRecord'];

const headers = { Authorization: 'Bearer key' };
const body: components['schemas']['UrlCreateRequest'] &
  hey.UrlCreateRequest &
  orval.UrlCreateRequest = { targetUrl: 'https://example.com/', tags: ['spring'] };

export async function titles(baseUrl: string): Promise<(string | null | undefined)[]> {
  const client = createOpenapiClient<paths>({ baseUrl, headers });
  const created = await client.POST('/api/v1/urls', { body });
  const id = created.data?.data.id ?? '';
  const read = await client.GET('/api/v1/urls/{id}', { params: { path: { id } } });
  const record: UrlRecord | undefined = read.data?.data;

  const heyClient = createClient({ baseUrl, headers });
  const second = await hey.getUrl({ client: heyClient, path: { id } });
  const heyRecord: hey.UrlRecord | undefined = second.data?.data;

  const third = await orval.getUrl(id, { headers });
  const orvalRecord: orval.UrlRecord | undefined =
    third.status === 200 ? third.data.data : undefined;
  return [record?.title, heyRecord?.title, orvalRecord?.title];
}
