import { LRUCache } from 'lru-cache';
import { type AddressRanges, parseAddressRanges } from '../network/ip-address.js';

// The number of compiled lists. Each has up to 100 entries.
const maxLists = 1_000;

/**
 * Returns a function that compiles the excluded addresses of an organization; undefined if there are
 * none. All links of the organization share the result.
 */
export function createExcludedAddresses(): (list: string) => AddressRanges | undefined {
  const compiled = new LRUCache<string, AddressRanges>({ max: maxLists });
  return (list) => {
    if (list === '') return undefined;
    const known = compiled.get(list);
    if (known) return known;
    const ranges = parseAddressRanges(list);
    compiled.set(list, ranges);
    return ranges;
  };
}
