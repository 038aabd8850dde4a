import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.js';
import { findDatabaseFile } from '../../storage/locate-database.js';
import { shippedCountryDatabase } from './country-database.js';

type CountrySettings = Pick<Config, 'countryDatabase' | 'databaseUrl' | 'journalFolder'>;

/**
 * Returns the path at which `shorty-server countries update` installs a country database: beside the
 * SQLite file, or beside the journals' folder with PostgreSQL. Returns undefined for a database in memory.
 */
export function installedCountryFile({
  databaseUrl,
  journalFolder,
}: Omit<CountrySettings, 'countryDatabase'>): string | undefined {
  const file = findDatabaseFile(databaseUrl);
  if (file !== undefined) return `${file}.countries.mmdb`;
  return databaseUrl === ':memory:' ? undefined : join(dirname(journalFolder), 'countries.mmdb');
}

/** Returns the path of the country database to read: the configured, the installed or the shipped one. */
export function countryFileOf(config: CountrySettings): string {
  if (config.countryDatabase !== undefined) return config.countryDatabase;
  const installed = installedCountryFile(config);
  return installed !== undefined && existsSync(installed) ? installed : shippedCountryDatabase;
}

// Addresses move between countries. Operators who chose a database can replace it; ours ages with the
// release.
const maxAgeDays = { chosen: 60, shipped: 365 };

/**
 * Returns the age of the country database at a path in days, and whether it is so old that operators are
 * warned.
 */
export function ageOfCountries(
  path: string,
  builtAt: number,
  now: number,
): { days: number; isOld: boolean } {
  const days = Math.max(0, Math.floor((now - builtAt) / 86_400_000));
  return { days, isOld: days > maxAgeDays[path === shippedCountryDatabase ? 'shipped' : 'chosen'] };
}

/** Returns what the operator does about old data. */
export function renewalOf({ countryDatabase }: Pick<Config, 'countryDatabase'>): string {
  const file = 'a newer .mmdb file, such as DB-IP Lite or GeoLite2';
  return countryDatabase === undefined
    ? `download ${file}, and run: shorty-server countries update FILE`
    : `replace the file of SHORTY_COUNTRY_DATABASE by ${file}`;
}

/** Returns the date of a country database in UTC, such as 2030-11-01. */
export function toDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
