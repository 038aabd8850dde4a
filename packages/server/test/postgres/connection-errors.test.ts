import { expect, inject, it } from 'vitest';
import { isOperatorError } from '../../src/operations/commands/open-database.js';
import { openStorage } from '../../src/storage/open-storage.js';

const { adminUrl } = inject('postgres') ?? { adminUrl: '' };

async function errorOf(databaseUrl: string): Promise<Error> {
  const database = openStorage({ databaseUrl, durability: 'process' });
  try {
    return await database.migrate().then(
      () => new Error('the connection was accepted'),
      (error) => error,
    );
  } finally {
    await database.close();
  }
}

it.each([
  [
    'a wrong password',
    adminUrl.replace(/:[^:@]+@/, ':wrong@'),
    /^SHORTY_DATABASE_URL: PostgreSQL refused the password of user \w+: /,
  ],
  [
    'no such database',
    adminUrl.replace(/[^/]+$/, 'nowhere'),
    /PostgreSQL has no database nowhere: create it/,
  ],
  ['no server', adminUrl.replace(/:\d+\//, ':1/'), /no PostgreSQL listens on [^ ]+:1: start it/],
])('%s gives a temporary error of one line', async (_what, url, reason) => {
  const error = await errorOf(url);
  expect(error.name).toBe('StorageUnavailableError');
  expect(error.message).toMatch(reason);
  expect(isOperatorError(error)).toBe(true);
});
