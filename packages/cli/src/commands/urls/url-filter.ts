import type { UrlListQuery } from '@shorty/sdk';
import type { OptionRows } from '../../command.js';
import { type Input, withIds } from '../../input.js';
import { naming } from '../../records.js';

/** The options that select links. */
export const filterOptions: OptionRows = {
  '--active': { text: 'only active links', conflicts: 'paused' },
  '--paused': 'only paused and expired links',
  '--deleted': { text: 'only deleted links', conflicts: 'active' },
  '--harmful': 'only links that lead to a host which the server knows as harmful',
  '--search <text>': 'only links with this text in title, description, tags, target, slug or code',
  '--tag <tag>': 'only links with this tag',
  '--category <text>': 'only links in this category',
  '--domain-id <domain>': naming('domain', 'only links on this custom domain'),
  '--target-url <url>': 'only links with exactly this target URL',
  '--created-since <time>': {
    text: 'only links created at or after it, such as 2030-11-01 or 7d',
    time: 'past',
  },
  '--created-until <time>': { text: 'only links created before it', time: 'past' },
};

/** Returns the query of the options. Deleted links are found only by --deleted. */
export async function readUrlFilter({
  active,
  paused,
  deleted,
  harmful,
  ...filter
}: Input): Promise<Omit<UrlListQuery, 'view'>> {
  return {
    ...(await withIds(filter)),
    ...((active === true || paused === true) && { isActive: active === true }),
    isDeleted: deleted === true,
    ...(harmful === true && { isTargetBlocked: true }),
  };
}
