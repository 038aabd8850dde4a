import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type CountryDatabase,
  openCountryDatabase,
} from '../../analytics/classify/country-database.js';
import {
  ageOfCountries,
  countryFileOf,
  installedCountryFile,
  renewalOf,
  toDate,
} from '../../analytics/classify/country-file.js';
import { type Config, readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { formatCount } from '../../format-count.js';
import { requireDatabaseFile } from '../../storage/locate-database.js';
import { replaceFile, withScratchFolder } from '../backup/move-into-place.js';
import { print } from './print.js';

type ReadableDatabase = CountryDatabase & { readonly builtAt: number };

/** Checks a country database, and installs it for this node's server, which may run. */
export async function update(file: string): Promise<void> {
  const config = readConfig(process.env);
  if (config.countryDatabase !== undefined) {
    throw new ConfigError(
      `SHORTY_COUNTRY_DATABASE is ${config.countryDatabase}: replace that file, or unset the setting`,
    );
  }
  const target = installedCountryFile(config);
  if (target === undefined) {
    throw new ConfigError('SHORTY_DATABASE_URL is :memory:, which has no folder for the database');
  }
  requireDatabaseFile(config.databaseUrl);
  const bytes = readFileSync(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    throw new ConfigError(`${file} is compressed: extract the .mmdb file first`);
  }
  const before = (await open(countryFileOf(config)).catch(() => undefined))?.builtAt;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  // The copy is checked, because the file may change meanwhile.
  const installed = await withScratchFolder(`${target}.`, async (folder) => {
    const copy = join(folder, 'countries.mmdb');
    copyFileSync(file, copy);
    // The server may run as another user than this command.
    chmodSync(copy, 0o644);
    const opened = await open(copy, file);
    replaceFile(copy, target);
    return opened;
  });
  print(describeData(target, installed, config));
  const replaced = before === undefined ? '' : ` It replaces data of ${toDate(before)}.`;
  print(`Installed as ${target}. A running server reads it within seconds.${replaced}`);
}

function describeData(
  path: string,
  { builtAt, hasCities }: ReadableDatabase,
  config: Config,
): string {
  const { days, isOld } = ageOfCountries(path, builtAt, Date.now());
  const data = `${hasCities ? 'City' : 'Country'} data of ${toDate(builtAt)}`;
  return isOld
    ? `${data}, which is ${formatCount(days, 'day')} old: ${renewalOf(config)}.`
    : `${data}.`;
}

/** Opens a country database. Throws a ConfigError when it cannot be read. */
async function open(path: string, name = path): Promise<ReadableDatabase> {
  let failure: Error | undefined;
  const { builtAt, ...database } = await openCountryDatabase(path, (error) => {
    failure = error;
  });
  if (builtAt !== undefined) return { builtAt, ...database };
  throw new ConfigError((failure?.message ?? '').replace(path, name));
}
