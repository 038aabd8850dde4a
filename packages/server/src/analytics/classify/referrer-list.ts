import { readFileSync } from 'node:fs';
import type { ReferrerType } from './referrer-types.js';

// The build copies it there.
const file = new URL('../../../dist/referrers/referrers.json', import.meta.url);

/** The media of the list that are types of their own. Its other media are ordinary sites. */
const types: ReadonlyMap<string, ReferrerType> = new Map([
  ['search', 'search'],
  ['social', 'social'],
  ['email', 'email'],
  ['paid', 'paid'],
]);

/**
 * Reads the hosts of Ghost's list of referrers, which continues Snowplow's. The lookup of its package
 * is not used: it compares beginnings, so that `t.company.example` is `t.co`. Entries with a path are
 * left out, because browsers send the path to pages of the same site only.
 */
export function readReferrerList(): ReadonlyMap<string, ReferrerType> {
  const entries = Object.entries<{ medium: string }>(JSON.parse(readFileSync(file, 'utf8')));
  return new Map(
    entries
      .filter(([key]) => /^[\w-]+(?:\.[\w-]+)+$/.test(key))
      .map(([key, { medium }]) => [
        key.toLowerCase().replace(/^www\./, ''),
        types.get(medium) ?? 'other',
      ]),
  );
}
