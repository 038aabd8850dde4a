import type { UrlListQuery } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import { parseTime } from '../../analytics/parse-time.js';

type UrlFilter = Omit<UrlListQuery, 'limit' | 'offset' | 'after' | 'view'>;

/** The options that select links. */
export interface UrlFilterOptions
  extends Omit<UrlFilter, 'isActive' | 'isDeleted' | 'createdSince' | 'createdUntil'> {
  readonly createdSince?: string;
  readonly createdUntil?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly deleted?: boolean;
}

export function addUrlFilter(command: Command): Command {
  return command
    .addOption(new Option('--active', 'only active links').conflicts('inactive'))
    .option('--inactive', 'only inactive links')
    .addOption(new Option('--deleted', 'only deleted links').conflicts('active'))
    .option(
      '--search <text>',
      'only links with this text in title, description, tags, target, slug or code',
    )
    .option('--tag <tag>', 'only links with this tag')
    .option('--category <text>', 'only links in this category')
    .option('--domain-id <uuid>', 'only links on this custom domain')
    .option('--target-url <url>', 'only links with exactly this target URL')
    .option('--created-since <time>', 'only links created at or after it, such as 2030-11-01 or 7d')
    .option('--created-until <time>', 'only links created before it');
}

/** Returns the query of the options. Durations such as `7d` are before `now`. */
export function readUrlFilter(
  { active, inactive, deleted, createdSince, createdUntil, ...filter }: UrlFilterOptions,
  now: number,
): UrlFilter {
  const since = readInstant(createdSince, now);
  const until = readInstant(createdUntil, now);
  return {
    ...filter,
    ...(since === undefined ? {} : { createdSince: since }),
    ...(until === undefined ? {} : { createdUntil: until }),
    ...(active || inactive ? { isActive: active === true } : {}),
    ...(deleted ? { isDeleted: true } : {}),
  };
}

// The server knows more forms of a time, and names a wrong one.
function readInstant(text: string | undefined, now: number): string | undefined {
  const epochMs = text === undefined ? undefined : parseTime(text, now);
  return epochMs === undefined ? text : new Date(epochMs).toISOString();
}
