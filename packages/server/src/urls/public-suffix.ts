import { parse } from 'tldts';

/**
 * Returns whether anybody can get a name below a host, such as `co.uk` or `github.io`. A rule for it
 * concerns the sites of many owners. Import it when it is needed, because the list takes a megabyte.
 */
export function isPublicSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true });
  return publicSuffix === host && (isIcann === true || isPrivate === true);
}
