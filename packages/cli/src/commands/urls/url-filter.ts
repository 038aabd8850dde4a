import type { UrlListQuery } from '@shorty/sdk';
import { parseTime } from '../../analytics/parse-time.js';
import { defined, type OptionRows } from '../../command.js';
import type { Context } from '../../context.js';
import { findDomainId } from '../../find-domain.js';

type UrlFilter = Omit<UrlListQuery, 'limit' | 'offset' | 'after' | 'view'>;

/** The values of the options that select links. */
export interface UrlFilterOptions
  extends Omit<
    UrlFilter,
    'isActive' | 'isDeleted' | 'isTargetBlocked' | 'createdSince' | 'createdUntil'
  > {
  readonly createdSince?: string;
  readonly createdUntil?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly deleted?: boolean;
  readonly harmful?: boolean;
}

/** The options that select links. */
export const filterOptions: OptionRows = {
  '--active': { text: 'only active links', conflicts: 'inactive' },
  '--inactive': 'only paused and expired links',
  '--deleted': { text: 'only deleted links', conflicts: 'active' },
  '--harmful': 'only links that lead to a host which the server knows as harmful',
  '--search <text>': 'only links with this text in title, description, tags, target, slug or code',
  '--tag <tag>': 'only links with this tag',
  '--category <text>': 'only links in this category',
  '--domain-id <domain>': 'only links on this custom domain (hostname or id)',
  '--target-url <url>': 'only links with exactly this target URL',
  '--created-since <time>': 'only links created at or after it, such as 2030-11-01 or 7d',
  '--created-until <time>': 'only links created before it',
};

/** Returns the query of the options. Durations such as `7d` are before now. */
export async function readUrlFilter(
  {
    active,
    inactive,
    deleted,
    harmful,
    createdSince,
    createdUntil,
    domainId,
    ...filter
  }: UrlFilterOptions,
  { client, io, request }: Context,
): Promise<UrlFilter> {
  const now = io.now();
  return {
    ...filter,
    ...(domainId && { domainId: await findDomainId(await client(), domainId, request) }),
    ...defined({
      createdSince: readInstant(createdSince, now),
      createdUntil: readInstant(createdUntil, now),
    }),
    ...(active || inactive ? { isActive: active === true } : {}),
    ...(deleted ? { isDeleted: true } : {}),
    ...(harmful ? { isTargetBlocked: true } : {}),
  };
}

// The server knows more forms of a time, and names a wrong one.
function readInstant(text: string | undefined, now: number): string | undefined {
  const epochMs = text === undefined ? undefined : parseTime(text, now);
  return epochMs === undefined ? text : new Date(epochMs).toISOString();
}
