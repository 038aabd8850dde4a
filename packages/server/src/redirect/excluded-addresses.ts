import { type AddressRanges, parseAddressRanges } from '../network/ip-address.js';

/**
 * Returns a function that compiles the excluded addresses of an organization; undefined if there are
 * none. Links with the same list share the result for as long as one of them is cached, because a list
 * of 100 ranges takes 30 KB.
 */
export function createExcludedAddresses(): (list: string) => AddressRanges | undefined {
  const compiled = new Map<string, WeakRef<AddressRanges>>();
  const unused = new FinalizationRegistry((list: string) => {
    if (compiled.get(list)?.deref() === undefined) compiled.delete(list);
  });
  return (list) => {
    if (list === '') return undefined;
    const known = compiled.get(list)?.deref();
    if (known) return known;
    const ranges = parseAddressRanges(list);
    compiled.set(list, new WeakRef(ranges));
    unused.register(ranges, list);
    return ranges;
  };
}
