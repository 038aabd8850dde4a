import type { Config } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { dayMs } from '../../durations.js';
import type { Clock } from '../../ports.js';
import {
  type CountryDatabase,
  openCountryDatabase,
  shippedCountryDatabase,
} from './country-database.js';

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

/** Returns the date of a country database in UTC, such as 2030-11-01. */
export function toDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
