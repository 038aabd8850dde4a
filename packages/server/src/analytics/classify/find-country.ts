import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Reader } from 'mmdb-lib';
import { canonicalAddress, isPublicAddress } from '../../network/ip-address.js';

/** Returns the country of an address: two capital letters (ISO 3166-1 alpha-2) or 'Unknown'. Never throws. */
export type FindCountry = (address: string) => string;

export const unknownCountry = 'Unknown';

/** The shipped database has `country_code`; MaxMind's databases have the other fields. */
interface CountryRecord {
  readonly country_code?: unknown;
  readonly country?: { readonly iso_code?: unknown };
  readonly registered_country?: { readonly iso_code?: unknown };
}

export interface CountryDatabase {
  readonly find: FindCountry;
  /** When the database was built, in milliseconds since 1970. Undefined when it cannot be read. */
  readonly builtAt: number | undefined;
}

/** The build copies it from its package, which contains the same data three times. */
export const shippedCountryDatabase = fileURLToPath(
  new URL('../../../dist/countries.mmdb', import.meta.url),
);

/**
 * Opens a database in MaxMind's format, such as GeoLite2. Never throws: `onError` is called at most
 * once, when the file is missing or corrupt. Countries are then 'Unknown'.
 */
export async function openCountryDatabase(
  path: string,
  onError: (error: Error) => void,
): Promise<CountryDatabase> {
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
    const lookUp = (address: string) => countryOf(reader.get(address));
    // A truncated or overwritten file often opens without an error; lookups detect it.
    if (probes.map(lookUp).every((country) => country === unknownCountry)) {
      throw new Error('it has no countries');
    }
    const find: FindCountry = (address) => {
      const plain = canonicalAddress(address);
      // Databases that are made from registrations assign private addresses to a registry's country.
      if (!isPublicAddress(plain)) return unknownCountry;
      try {
        return lookUp(plain);
      } catch (error) {
        return fail(error);
      }
    };
    return { find, builtAt: reader.metadata.buildEpoch.getTime() };
  } catch (error) {
    fail(error);
    return { find: () => unknownCountry, builtAt: undefined };
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
