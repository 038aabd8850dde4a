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
  ['a wrong password', adminUrl.replace(/:[^:@]+@/, ':wrong@'), /28P01: password authentication/],
  ['no password', adminUrl.replace(/:[^:@]+@/, '@'), /28P01: empty password/],
  ['no such database', adminUrl.replace(/[^/]+$/, 'nowhere'), /3D000: database "nowhere"/],
  ['no server', adminUrl.replace(/:\d+\//, ':1/'), /ECONNREFUSED: connect .*:1\)/],
  ['no TLS there', `${adminUrl}?sslmode=require`, /does not support SSL connections/],
])('%s gives a temporary error of one line', async (_what, url, reason) => {
  const error = await errorOf(url);
  expect(error.name).toBe('StorageUnavailableError');
  expect(error.message).toMatch(reason);
  expect(isOperatorError(error)).toBe(true);
});
