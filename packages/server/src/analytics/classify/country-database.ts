import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Reader } from 'mmdb-lib';
import type { Config } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { dayMs } from '../../durations.js';
import { canonicalAddress, isPublicAddress } from '../../network/ip-address.js';
import type { Clock } from '../../ports.js';
import { plainText } from './plain-text.js';

/** Where an address is. Databases of countries have neither regions nor cities. */
export interface Place {
  /** Two capital letters (ISO 3166-1 alpha-2), or 'Unknown'. */
  readonly country: string;
  /**
   * The first-level subdivision of the country: its ISO 3166-2 code, such as DE-BE. If the database
   * has no codes, the country with the English name: DE-Berlin. Null when it is unknown.
   */
  readonly region: string | null;
  /** The English name. Null when it is unknown. */
  readonly city: string | null;
}

export type FindPlace = (address: string) => Place;

export const unknownCountry = 'Unknown';
export const unknownPlace: Place = { country: unknownCountry, region: null, city: null };

interface Names {
  readonly names?: { readonly en?: unknown };
}

/**
 * A record in the layout of MaxMind, which DB-IP shares, or in the flat layout of ip-location-db, from
 * which the shipped database is. DB-IP's subdivisions have no codes.
 */
interface PlaceRecord {
  readonly country?: { readonly iso_code?: unknown };
  readonly registered_country?: { readonly iso_code?: unknown };
  readonly subdivisions?: readonly (Names & { readonly iso_code?: unknown })[];
  readonly city?: Names | string;
  readonly country_code?: unknown;
  readonly state1?: unknown;
}

export interface CountryDatabase {
  readonly find: FindPlace;
  /** When the database was built, in milliseconds since 1970. Undefined when it cannot be read. */
  readonly builtAt: number | undefined;
}

/** The build copies it from its package, which contains the same data three times. */
export const shippedCountryDatabase = fileURLToPath(
  new URL('../../../dist/countries.mmdb', import.meta.url),
);

interface CountryOptions {
  readonly config: Pick<Config, 'countryDatabase'>;
  readonly clock: Clock;
  readonly logger: Record<'error' | 'warn' | 'info', (fields: object, message: string) => void>;
}

// Addresses move between countries. Operators who chose a database can replace it; ours ages with the
// release.
const maxAgeDays = { chosen: 60, shipped: 365 };

/**
 * Opens the configured database of countries, or the shipped one, and logs its age. Throws a ConfigError
 * when the configured file cannot be read.
 */
export async function openCountries({
  config: { countryDatabase },
  clock,
  logger,
}: CountryOptions): Promise<CountryDatabase> {
  const path = countryDatabase ?? shippedCountryDatabase;
  let failure: Error | undefined;
  const opened = await openCountryDatabase(path, (err) => {
    failure = err;
    logger.error({ err, path }, 'country database failed');
  });
  const { builtAt } = opened;
  if (builtAt === undefined) {
    if (countryDatabase === undefined) return opened;
    throw new ConfigError(
      `SHORTY_COUNTRY_DATABASE is ${JSON.stringify(countryDatabase)}: ${failure?.message}`,
    );
  }
  const days = Math.max(0, Math.floor((clock() - builtAt) / dayMs));
  const fields = { date: toDate(builtAt), days };
  if (days <= maxAgeDays[countryDatabase === undefined ? 'shipped' : 'chosen']) {
    logger.info(fields, 'country database opened');
  } else {
    logger.warn(
      fields,
      'country database is old: set SHORTY_COUNTRY_DATABASE to a newer .mmdb file, such as DB-IP Lite or GeoLite2, and restart',
    );
  }
  return opened;
}

/** Returns the date of a country database in UTC, such as 2030-11-01; null if it cannot be read. */
export function toDate(builtAt: number | undefined): string | null {
  return builtAt === undefined ? null : new Date(builtAt).toISOString().slice(0, 10);
}

/**
 * Opens a database of countries or of cities in MaxMind's format, such as GeoLite2. Never throws:
 * `onError` is called at most once, when the file is missing or corrupt. Places are then unknown.
 */
export async function openCountryDatabase(
  path: string,
  onError: (error: Error) => void,
): Promise<CountryDatabase> {
  let hasFailed = false;
  const fail = (error: unknown): Place => {
    if (!hasFailed) {
      hasFailed = true;
      onError(new Error(`country database ${path}: ${reasonOf(error)}`, { cause: error }));
    }
    return unknownPlace;
  };
  try {
    const reader = new Reader<never>(await readFile(path));
    const { ipVersion, buildEpoch } = reader.metadata;
    const lookUp = (address: string) =>
      // The reader would take the first bits of an IPv6 address for an IPv4 address.
      ipVersion === 4 && isIPv6(address) ? unknownPlace : placeOf(reader.get(address));
    // A truncated or overwritten file often opens without an error; lookups detect it.
    if (probes.every((address) => lookUp(address).country === unknownCountry)) {
      throw new Error('it has no countries');
    }
    const find: FindPlace = (address) => {
      const plain = canonicalAddress(address);
      // Databases that are made from registrations assign private addresses to a registry's country.
      if (!isPublicAddress(plain)) return unknownPlace;
      try {
        return lookUp(plain);
      } catch (error) {
        return fail(error);
      }
    };
    return { find, builtAt: buildEpoch.getTime() };
  } catch (error) {
    fail(error);
    return { find: () => unknownPlace, builtAt: undefined };
  }
}

/** Explains the messages of the reader, which name bytes. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Errors of the file system name what to do.
  if (error instanceof Error && 'syscall' in error) return message;
  return `it is no intact database of countries or cities in MaxMind's format (${message}): download it again`;
}

const probes = [
  ...Array.from({ length: 256 }, (_, block) => `${block}.${block}.0.1`),
  ...Array.from({ length: 256 }, (_, block) => `2${block.toString(16).padStart(3, '0')}::1`),
];

function placeOf(record: PlaceRecord | null): Place {
  const country = countryCode(
    record?.country_code ?? record?.country?.iso_code ?? record?.registered_country?.iso_code,
  );
  if (record === null || country === unknownCountry) return unknownPlace;
  const { city } = record;
  const region = regionOf(record);
  return {
    country,
    region: region && `${country}-${region}`,
    city: nameOf(typeof city === 'string' ? city : city?.names?.en),
  };
}

/** Returns the code or the name of the largest subdivision: England, not Oxfordshire. */
function regionOf({ subdivisions, state1 }: PlaceRecord): string | null {
  const subdivision = subdivisions?.[0];
  const code = subdivision?.iso_code;
  if (typeof code === 'string' && /^[A-Z\d]{1,3}$/.test(code)) return code;
  return nameOf(subdivision?.names?.en ?? state1);
}

// The longest English name of a place has 85 characters.
const maxNameLength = 100;

function nameOf(name: unknown): string | null {
  return typeof name === 'string' ? plainText(name, maxNameLength) || null : null;
}

/** Returns a country code in capitals, or 'Unknown' for 'XX', 'ZZ' and 'T1' (Tor). */
export function countryCode(code: unknown): string {
  if (typeof code !== 'string' || !/^[a-z]{2}$/i.test(code)) return unknownCountry;
  const upper = code.toUpperCase();
  return upper === 'XX' || upper === 'ZZ' ? unknownCountry : upper;
}
