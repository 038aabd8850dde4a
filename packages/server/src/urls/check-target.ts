import type { Kysely } from 'kysely';
import { shorten } from '../contract/api-error.js';
import type { ErrorDetail } from '../contract/errors.js';
import { findDomainsOf } from '../domains/domain-repository.js';
import { hostnameOf, type IsOwnHost } from '../domains/hostname.js';
import { parseUrl } from '../network/parse-url.js';
import type { SafeDns } from '../network/safe-dns.js';
import type { Schema } from '../storage/schema.js';
import { blockedMessage } from './blocked-hosts.js';
import { type LinkTarget, targetsOf } from './link-rules.js';

export interface TargetRules {
  readonly db: Kysely<Schema>;
  readonly isOwnHost: IsOwnHost;
  readonly findBlockedHost: (targetUrl: string) => string | undefined;
  /** The filtering resolver, if there is one. */
  readonly safeDns: Pick<SafeDns, 'check'> | undefined;
}

const ownTargetMessage =
  'must not lead to a host of short links on this server: use the address that visitors should see';

const unsafeMessage = 'which the resolver that filters harmful hosts for this server blocks';

/** Returns the hosts that a link leads to. */
export function targetHostsOf(url: Parameters<typeof targetsOf>[0]): string[] {
  return targetsOf(url).map(({ targetUrl }) => hostnameOf(parseUrl(targetUrl)?.host ?? ''));
}

/** Returns why one of the targets of each request is refused: it leads to a blocked host, or to one of ours. */
export async function findTargetErrors(
  { db, isOwnHost, findBlockedHost, safeDns }: TargetRules,
  requests: readonly (readonly LinkTarget[])[],
): Promise<(ErrorDetail | undefined)[]> {
  const targets = requests.map((request) =>
    request.map(({ path, targetUrl }) => {
      const { host = '', port } = parseUrl(targetUrl) ?? {};
      return { path, targetUrl, hostname: hostnameOf(host), port };
    }),
  );
  const hostnames = new Set(targets.flat().map(({ hostname }) => hostname));
  const domains = hostnames.size === 0 ? undefined : await findDomainsOf(db, [...hostnames]);
  const unsafe = await safeDns?.check(hostnames);
  return targets.map((own) => {
    for (const { path, targetUrl, hostname, port } of own) {
      const blocked = findBlockedHost(targetUrl);
      const isOwn = isOwnHost(hostname, port) || domains?.get(hostname)?.is_active === 1;
      const isUnsafe = unsafe?.get(hostname) === true;
      if (blocked === undefined && !isOwn && !isUnsafe) continue;
      const reason = isOwn ? ownTargetMessage : `must not lead to ${hostname}, ${unsafeMessage}`;
      const rule = blocked === undefined ? reason : blockedMessage(blocked);
      return { path, message: `${shorten(targetUrl)} ${rule}` };
    }
    return undefined;
  });
}
