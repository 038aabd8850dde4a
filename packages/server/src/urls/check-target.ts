import type { Selectable } from 'kysely';
import { shorten } from '../contract/api-error.js';
import type { ErrorDetail } from '../contract/errors.js';
import type { FindByHostname } from '../domains/domain-repository.js';
import { hostnameOf, type IsOwnHost } from '../domains/hostname.js';
import { dayMs } from '../durations.js';
import { parseUrl } from '../network/parse-url.js';
import type { SafeDns } from '../network/safe-dns.js';
import type { Clock } from '../ports.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { blockedMessage } from './blocked-hosts.js';
import { type LinkTarget, targetsOf } from './link-rules.js';

export interface TargetRules {
  readonly findByHostname: FindByHostname;
  readonly isOwnHost: IsOwnHost;
  readonly findBlockedHost: (targetUrl: string) => string | undefined;
  /** The filtering resolver, if there is one. */
  readonly safeDns: Pick<SafeDns, 'check'> | undefined;
}

const ownTargetMessage =
  'must not lead to a host of short links on this server: use the address that visitors should see';

const unsafeMessage = 'which the resolver that filters harmful hosts for this server blocks';

/** Returns why one of the targets of each request is refused: it leads to a blocked host, or to one of ours. */
export async function findTargetErrors(
  { findByHostname, isOwnHost, findBlockedHost, safeDns }: TargetRules,
  requests: readonly (readonly LinkTarget[])[],
): Promise<(ErrorDetail | undefined)[]> {
  const targets = requests.map((request) =>
    request.map(({ path, targetUrl }) => {
      const { host = '', port } = parseUrl(targetUrl) ?? {};
      return { path, targetUrl, hostname: hostnameOf(host), port };
    }),
  );
  const hostnames = new Set(targets.flat().map(({ hostname }) => hostname));
  const domains = await Promise.all([...hostnames].map(findByHostname));
  const active = new Set([...hostnames].filter((_, at) => domains[at]?.isActive));
  const unsafe = await safeDns?.check(hostnames);
  return targets.map((own) => {
    for (const { path, targetUrl, hostname, port } of own) {
      const blocked = findBlockedHost(targetUrl);
      const isOwn = isOwnHost(hostname, port) || active.has(hostname);
      const isUnsafe = unsafe?.get(hostname) === true;
      if (blocked === undefined && !isOwn && !isUnsafe) continue;
      const reason = isOwn ? ownTargetMessage : `must not lead to ${hostname}, ${unsafeMessage}`;
      const rule = blocked === undefined ? reason : blockedMessage(blocked);
      return { path, message: `${shorten(targetUrl)} ${rule}` };
    }
    return undefined;
  });
}

export interface TargetScanOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly safeDns: Pick<SafeDns, 'check'>;
}

const pageSize = 100;
// The links of a few hosts are most of all links.
const maxKnownHosts = 100_000;

/**
 * Returns a function that checks the targets of one page of links, and marks those that are blocked. It
 * returns false when all links have been checked today. Each node checks all links.
 */
export function createTargetScan({ database, clock, safeDns }: TargetScanOptions) {
  /** The hosts that were asked about since the scan began. */
  let known = new Map<string, boolean>();
  let startedAt = Number.NEGATIVE_INFINITY;
  /** The last link that was checked; undefined once all are. */
  let last: number | undefined;

  async function findBlocked(hosts: readonly string[]) {
    if (known.size > maxKnownHosts) known = new Map();
    const unknown = hosts.filter((host) => !known.has(host));
    for (const [host, isBlocked] of await safeDns.check(unknown)) known.set(host, isBlocked);
    return known;
  }

  return async (): Promise<boolean> => {
    const now = clock();
    if (last === undefined) {
      if (now - startedAt < dayMs) return false;
      known = new Map();
      startedAt = now;
      last = 0;
    }
    const urls = await database.read
      .selectFrom('urls')
      .select(['id', 'target_url', 'expired_url', 'rules', 'target_blocked_at'])
      .where('id', '>', last)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(pageSize)
      .execute();
    const links = urls.map((url) => ({ ...url, hosts: hostsOf(url) }));
    const blocked = await findBlocked(links.flatMap(({ hosts }) => hosts));
    for (const at of [now, null]) {
      const marked = links.filter(({ hosts, target_blocked_at: before }) =>
        at === null
          ? before !== null && hosts.every((host) => blocked.get(host) === false)
          : before === null && hosts.some((host) => blocked.get(host)),
      );
      if (marked.length === 0) continue;
      const ids = marked.map(({ id }) => id);
      await database.writeDirectly(
        (transaction) =>
          transaction
            .updateTable('urls')
            .set({ target_blocked_at: at })
            .where('id', 'in', ids)
            // A link that was changed meanwhile may have other targets.
            .where('updated_at', '<=', now)
            .execute(),
        'rows',
      );
    }
    last = links.length < pageSize ? undefined : links.at(-1)?.id;
    return true;
  };
}

/** Removes the marks of a resolver that is not set any more. */
export async function clearTargetMarks(database: Database): Promise<void> {
  const marked = database.read
    .selectFrom('urls')
    .select('id')
    .where('target_blocked_at', 'is not', null);
  if (!(await marked.limit(1).executeTakeFirst())) return;
  const clear = async (transaction: WriteTransaction) => {
    const unmarked = { target_blocked_at: null };
    await transaction.updateTable('urls').set(unmarked).where('id', 'in', marked).execute();
  };
  await database.writeDirectly(clear, 'rows');
}

/** Returns the hosts that a link leads to. */
function hostsOf({
  target_url: targetUrl,
  expired_url: expiredUrl,
  rules,
}: Pick<Selectable<Schema['urls']>, 'target_url' | 'expired_url' | 'rules'>): string[] {
  const targets = targetsOf({ targetUrl, expiredUrl, rules: rules && JSON.parse(rules) });
  return targets.map((target) => hostnameOf(parseUrl(target.targetUrl)?.host ?? ''));
}
