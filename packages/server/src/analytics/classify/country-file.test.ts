import { expect, it } from 'vitest';
import { shippedCountryDatabase } from './country-database.js';
import { ageOfCountries } from './country-file.js';

const day = 86_400_000;

it.each([
  ['data that an operator chose', 'GeoLite2-Country.mmdb', 60],
  ['the data that we ship', shippedCountryDatabase, 365],
])('%s is old after its own number of days', (_, path, days) => {
  expect(ageOfCountries(path, 0, days * day)).toEqual({ days, isOld: false });
  expect(ageOfCountries(path, 0, (days + 1) * day)).toEqual({ days: days + 1, isOld: true });
});
