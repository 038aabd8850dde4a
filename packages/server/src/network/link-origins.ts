export interface LinkOrigins {
  /** `https://` or `http://`. */
  readonly scheme: string;
  /** The host of links without a custom domain, with its port if it has one. */
  readonly shortDomain: string;
}

export interface HasHostname {
  /** The hostname of the custom domain; none on the platform's domain. */
  readonly hostname: string | null | undefined;
}

/** Returns the public link. Specification, "URL record". */
export function shortUrlOf(
  origins: LinkOrigins,
  url: { readonly shortCode: string; readonly customSlug: string | null } & HasHostname,
): string {
  return `${origins.scheme}${url.hostname ?? origins.shortDomain}/${url.customSlug ?? url.shortCode}`;
}

/**
 * Returns the scheme and host in the payload of a link's QR codes. A link on a custom domain has
 * that domain's host, because no other host resolves its key.
 */
export function publicHostOf(
  { scheme, shortDomain }: LinkOrigins,
  publicHost: string | undefined,
  { hostname }: { readonly hostname: string | null },
): string {
  if (hostname !== null) return scheme + hostname;
  return publicHost ?? scheme + shortDomain;
}
