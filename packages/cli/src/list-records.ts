import type { PagedList, Shorty, UrlRecord } from '@shorty/sdk';

type UrlListQuery = NonNullable<Parameters<Shorty['urls']['list']>[0]>;
type RequestOptions = Parameters<Shorty['urls']['list']>[1];

/** Lists links with all their fields. */
export function listRecords(
  client: Shorty,
  query: UrlListQuery,
  options: RequestOptions,
): PagedList<UrlRecord> {
  // The SDK's type is that of the other view.
  return client.urls.list({ ...query, view: 'full' }, options) as unknown as PagedList<UrlRecord>;
}
