import type { UrlListQuery } from '@shorty/sdk';
import { type Command, Option } from 'commander';

type UrlFilter = Omit<UrlListQuery, 'limit' | 'offset' | 'after' | 'view'>;

/** The options that select links. */
export interface UrlFilterOptions extends Omit<UrlFilter, 'isActive'> {
  readonly active?: boolean;
  readonly inactive?: boolean;
}

export function addUrlFilter(command: Command): Command {
  return command
    .addOption(new Option('--active', 'only active links').conflicts('inactive'))
    .option('--inactive', 'only inactive links')
    .option(
      '--search <text>',
      'only links with this text in title, description, tags, target, slug or code',
    )
    .option('--tag <tag>', 'only links with this tag')
    .option('--category <text>', 'only links in this category')
    .option('--domain-id <uuid>', 'only links on this custom domain')
    .option('--target-url <url>', 'only links with exactly this target URL')
    .option('--created-since <time>', 'only links created at or after it')
    .option('--created-until <time>', 'only links created before it');
}

export function readUrlFilter({ active, inactive, ...filter }: UrlFilterOptions): UrlFilter {
  return { ...filter, ...(active || inactive ? { isActive: active === true } : {}) };
}
