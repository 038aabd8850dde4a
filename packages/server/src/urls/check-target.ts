import type { Kysely } from 'kysely';
import { findDomainsOf } from '../domains/domain-repository.js';
import { hostnameOf } from '../domains/hostname.js';
import type { IsOwnHost } from '../domains/own-hosts.js';
import { parseUrl } from '../network/parse-url.js';
import type { Schema } from '../storage/schema.js';
import { targetsOf } from './link-rules.js';
import type { ShortUrl } from './short-url.js';

type Targets = Pick<ShortUrl, 'targetUrl' | 'expiredUrl' | 'rules'>;

/** Returns the links that lead to a host of short links on this server, each with the path of that target. */
export async function findOwnTargets<Url extends Targets>(
  db: Kysely<Schema>,
  isOwnHost: IsOwnHost,
  urls: readonly Url[],
): Promise<ReadonlyMap<Url, string>> {
  const targets = urls.flatMap((url) =>
    targetsOf(url).map(({ path, targetUrl }) => {
      const { host = '', port } = parseUrl(targetUrl) ?? {};
      return { url, path, hostname: hostnameOf(host), port };
    }),
  );
  const domains = await findDomainsOf(db, [...new Set(targets.map(({ hostname }) => hostname))]);
  const own = targets.filter(
    ({ hostname, port }) => isOwnHost(hostname, port) || domains.get(hostname)?.is_active === 1,
  );
  // The first target of a link comes last, and stays in the map.
  return new Map(own.reverse().map(({ url, path }) => [url, path]));
}
