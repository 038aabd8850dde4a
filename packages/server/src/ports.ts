/** What reaches the outside besides storage and HTTP; tests pass their own. */

/** The time now, in milliseconds since 1970 in UTC. */
export type Clock = () => number;

/** A new UUID, version 7, so that ids sort by the time they were made. */
export type NewId = () => string;

/** Bytes that nobody can guess. */
export type RandomBytes = (count: number) => Uint8Array;

/**
 * The texts of a name's TXT records, each put together from its strings; throws a DnsError when
 * there is no answer.
 */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

/** The addresses of a host, as IP literals; throws when there are none. */
export type ResolveDns = (hostname: string) => Promise<readonly string[]>;
