import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toMmdb } from '../../../test/analytics/to-mmdb.js';
import { scratchFolder } from '../../../test/scratch-folder.js';
import { openCountries } from './country-database.js';

const day = 86_400_000;

it.each([
  ['the data that we ship', false, 365],
  ['data that an operator chose', true, 60],
])('warns of %s after its own number of days', async (_, isChosen, days) => {
  const folder = scratchFolder();
  const path = join(folder, 'chosen.mmdb');
  const record = { country: { iso_code: 'DE' } };
  writeFileSync(path, toMmdb([{ address: '5.5.0.0', bits: 16, record }]));
  const config = { countryDatabase: isChosen ? path : undefined };
  const warnings: string[] = [];
  const logger = { error() {}, info() {}, warn: (_: unknown, text: string) => warnings.push(text) };
  const { builtAt = 0 } = await openCountries({ config, clock: () => 0, logger });
  await openCountries({ config, clock: () => builtAt + days * day, logger });
  expect(warnings).toEqual([]);
  await openCountries({ config, clock: () => builtAt + (days + 1) * day, logger });
  expect(warnings).toEqual([expect.stringContaining('country database is old: ')]);
});
