import type { Kysely } from 'kysely';
import { shorten } from '../contract/api-error.js';
import type { ErrorDetail } from '../contract/errors.js';
import { findDomainsOf } from '../domains/domain-repository.js';
import { hostnameOf } from '../domains/hostname.js';
import type { IsOwnHost } from '../domains/own-hosts.js';
import { parseUrl } from '../network/parse-url.js';
import type { Schema } from '../storage/schema.js';
import { blockedMessage } from './blocked-hosts.js';
import { targetsOf } from './link-rules.js';

export interface TargetRules {
  readonly db: Kysely<Schema>;
  readonly isOwnHost: IsOwnHost;
  readonly findBlockedHost: (targetUrl: string) => string | undefined;
}

const ownTargetMessage =
  'must not lead to a host of short links on this server: use the address that visitors should see';

/** Returns why one of the targets of each request is refused: it leads to a blocked host, or to one of ours. */
export async function findTargetErrors(
  { db, isOwnHost, findBlockedHost }: TargetRules,
  requests: readonly Parameters<typeof targetsOf>[0][],
): Promise<(ErrorDetail | undefined)[]> {
  const targets = requests.map((request) =>
    targetsOf(request).map(({ path, targetUrl }) => {
      const { host = '', port } = parseUrl(targetUrl) ?? {};
      return { path, targetUrl, hostname: hostnameOf(host), port };
    }),
  );
  const hostnames = new Set(targets.flat().map(({ hostname }) => hostname));
  const domains = hostnames.size === 0 ? undefined : await findDomainsOf(db, [...hostnames]);
  return targets.map((own) => {
    for (const { path, targetUrl, hostname, port } of own) {
      const blocked = findBlockedHost(targetUrl);
      const isOwn = isOwnHost(hostname, port) || domains?.get(hostname)?.is_active === 1;
      if (blocked === undefined && !isOwn) continue;
      const rule = blocked === undefined ? ownTargetMessage : blockedMessage(blocked);
      return { path, message: `${shorten(targetUrl)} ${rule}` };
    }
    return undefined;
  });
}
