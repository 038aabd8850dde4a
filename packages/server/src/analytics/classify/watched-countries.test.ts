import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { installedCountryFile } from './country-file.js';
import { createWatchedCountries } from './watched-countries.js';

it('uses the included database while the installed file cannot be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-countries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = {
    databaseUrl: `file:${join(folder, 'shorty.db')}`,
    journalFolder: join(folder, 'visits'),
    countryDatabase: undefined,
  };
  const installed = installedCountryFile(config) ?? '';
  writeFileSync(installed, 'no database');
  const failed: string[] = [];
  const logger = {
    error: ({ path }: { path: string }) => failed.push(path),
    warn: () => undefined,
    info: () => undefined,
  };
  const countries = createWatchedCountries({ config, clock: () => 0, logger });
  await countries.open(() => undefined);
  expect(countries.find('8.8.8.8').country).toBe('US');
  expect(failed).toEqual([installed]);
});
