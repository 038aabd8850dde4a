import { type StatsListener, unwatchFile, watchFile } from 'node:fs';
import type { Config } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import type { Service } from '../../lifecycle.js';
import type { Clock } from '../../ports.js';
import {
  type CountryDatabase,
  openCountryDatabase,
  shippedCountryDatabase,
  unknownPlace,
} from './country-database.js';
import {
  ageOfCountries,
  countryFileOf,
  installedCountryFile,
  renewalOf,
  toDate,
} from './country-file.js';

interface CountryOptions {
  readonly config: Pick<Config, 'countryDatabase' | 'databaseUrl' | 'journalFolder'>;
  readonly clock: Clock;
  readonly logger: {
    error(fields: { readonly err: Error; readonly path: string }, message: string): void;
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
    info(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
}

const watchIntervalMs = 2_000;

/** Creates a country database that is read again when its file is replaced. */
export function createWatchedCountries({ config, clock, logger }: CountryOptions) {
  const none: CountryDatabase = {
    find: () => unknownPlace,
    builtAt: undefined,
    hasCities: false,
  };
  let current = none;
  let currentPath = '';
  let failure: Error | undefined;
  // A file that is installed later is watched before it exists.
  const watched = config.countryDatabase ?? installedCountryFile(config);
  let onReplaced = () => {};
  let stopWatching = () => {};

  async function open(): Promise<void> {
    const path = countryFileOf(config);
    // A damaged file does not replace a database that works. Without one, the shipped database does.
    const shipped = config.countryDatabase === undefined ? [shippedCountryDatabase] : [];
    const candidates = current === none ? new Set([path, ...shipped]) : [path];
    for (const candidate of candidates) {
      const opened = await openCountryDatabase(candidate, (err) => {
        failure = err;
        // The start fails, and its error names the file.
        if (current === none && config.countryDatabase !== undefined) return;
        logger.error({ err, path: candidate }, 'country database failed');
      });
      if (opened.builtAt === undefined) continue;
      current = opened;
      currentPath = candidate;
      return;
    }
  }

  function logAge(): void {
    if (current.builtAt === undefined) return;
    const { builtAt, hasCities } = current;
    const { days, isOld } = ageOfCountries(currentPath, builtAt, clock());
    const fields = { date: toDate(builtAt), days, hasCities };
    if (isOld) logger.warn(fields, `country database is old: ${renewalOf(config)}`);
    else logger.info(fields, 'country database opened');
  }

  const onChange: StatsListener = (now, before) => {
    if (now.mtimeMs === before.mtimeMs && now.ino === before.ino) return;
    const previous = current;
    void open().then(() => {
      if (current === previous) return;
      logAge();
      onReplaced();
    });
  };

  return {
    find: (address: string) => current.find(address),
    /** When the current database was built. Undefined when none can be read. */
    builtAt: () => current.builtAt,
    /**
     * Opens the database. `listener` is called after each later replacement of its file. Throws a
     * ConfigError when the configured file cannot be read.
     */
    async open(listener: () => void): Promise<void> {
      onReplaced = listener;
      await open();
      if (current === none && config.countryDatabase !== undefined) {
        throw new ConfigError(
          `SHORTY_COUNTRY_DATABASE is ${JSON.stringify(config.countryDatabase)}: ${failure?.message}`,
        );
      }
    },
    /** The service that watches the file. It logs the age of the data once the server listens. */
    watcher: {
      name: 'country database',
      start(): void {
        logAge();
        if (watched === undefined) return;
        watchFile(watched, { persistent: false, interval: watchIntervalMs }, onChange);
        stopWatching = () => unwatchFile(watched, onChange);
      },
      async stop(): Promise<void> {
        stopWatching();
      },
    } satisfies Service,
  };
}
