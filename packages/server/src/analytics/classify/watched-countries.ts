import { type StatsListener, unwatchFile, watchFile } from 'node:fs';
import type { Config } from '../../config.js';
import type { Clock } from '../../ports.js';
import { ageOfCountries, countryFileOf, installedCountryFile, toDate } from './country-file.js';
import { type CountryDatabase, openCountryDatabase, unknownCountry } from './find-country.js';

interface CountryOptions {
  readonly config: Pick<Config, 'countryDatabase' | 'databaseUrl' | 'journalFolder'>;
  readonly clock: Clock;
  readonly logger: {
    error(fields: { readonly err: Error }, message: string): void;
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
    info(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
}

const watchIntervalMs = 2_000;

/** Creates a country database that is read again when its file is replaced. */
export function createWatchedCountries({ config, clock, logger }: CountryOptions) {
  const none: CountryDatabase = { find: () => unknownCountry, builtAt: undefined };
  let current = none;
  // A file that is installed later is watched before it exists.
  const watched = config.countryDatabase ?? installedCountryFile(config);
  let stopWatching = () => {};

  async function open(): Promise<void> {
    const path = countryFileOf(config);
    const opened = await openCountryDatabase(path, (err) =>
      logger.error({ err }, 'country database failed'),
    );
    // A damaged file does not replace a database that works.
    if (opened.builtAt === undefined) return;
    current = opened;
    const { days, isOld } = ageOfCountries(opened.builtAt, clock());
    const fields = { path, date: toDate(opened.builtAt), days };
    if (isOld) logger.warn(fields, 'country database is old: see shorty-server countries update');
    else logger.info(fields, 'country database opened');
  }

  return {
    find: (address: string) => current.find(address),
    /** When the current database was built. Undefined when none can be read. */
    builtAt: () => current.builtAt,
    /** Opens the database. Calls `onReplaced` after each later replacement of its file. */
    async start(onReplaced: () => void): Promise<void> {
      await open();
      if (watched === undefined) return;
      const onChange: StatsListener = (now, before) => {
        if (now.mtimeMs === before.mtimeMs && now.ino === before.ino) return;
        const previous = current;
        void open().then(() => current !== previous && onReplaced());
      };
      watchFile(watched, { persistent: false, interval: watchIntervalMs }, onChange);
      stopWatching = () => unwatchFile(watched, onChange);
    },
    stop: () => stopWatching(),
  };
}
