// Ports to the outside world, except storage and HTTP. Tests pass their own implementations.

/** Returns the time in milliseconds since 1970 (UTC). */
export type Clock = () => number;

/** Returns a new UUID version 7. These ids sort by creation time. */
export type NewId = () => string;

/**
 * Returns the texts of a name's TXT records, with the strings of each record joined. Throws a
 * DnsError when there is no response.
 */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

/** Returns the addresses of a host as IP literals. Throws when the host has none. */
export type ResolveDns = (hostname: string) => Promise<readonly string[]>;
