import { notFound, quotaError } from '../contract/api-error.js';
import type { PageRange } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { operatorOwner } from '../storage/database.js';
import { type blockedHostRoutes, maxBlockedHosts } from './blocked-host-contract.js';
import type { BlockedHostRepository } from './blocked-host-repository.js';
import { type BlockedHostRecord, toBlockedHostRecord } from './present-takedown.js';

export interface BlockedHostHandlerOptions {
  readonly blockedHosts: BlockedHostRepository;
  readonly listBlockedHosts: (
    owner: string,
    range: PageRange,
  ) => Promise<PageText<BlockedHostRecord>>;
  readonly clock: Clock;
  /** Called after a host was blocked or unblocked, before the response. */
  readonly onHostsChanged: () => Promise<void>;
}

const list = { name: 'blocked hosts', organizationId: operatorOwner, ids: 'text' } as const;

/** Blocks hosts as targets of links, for the operator. */
export function blockedHostHandlers({
  blockedHosts,
  listBlockedHosts,
  clock,
  onHostsChanged,
}: BlockedHostHandlerOptions): HandlersOf<typeof blockedHostRoutes> {
  return {
    async blockHost({ body, write }) {
      const { result, replayed } = await blockedHosts.block(body, clock(), write);
      if (!result) {
        const use = `At most ${maxBlockedHosts} hosts are blocked, and ${maxBlockedHosts} are`;
        throw quotaError(use, 'Unblock a host first', replayed);
      }
      await onHostsChanged();
      return { status: 201, replayed, data: toBlockedHostRecord(result) };
    },

    async listBlockedHosts({ query }) {
      const { filter, reply } = openPage(list, query);
      return reply(await listBlockedHosts(operatorOwner, filter));
    },

    async unblockHost({ params: { host }, write }) {
      const { result, replayed } = await blockedHosts.unblock(host, write);
      if (!result) throw notFound('blocked host', host, replayed);
      await onHostsChanged();
      return { status: 200, replayed, data: toBlockedHostRecord(result) };
    },
  };
}
