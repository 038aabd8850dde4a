import { expect, inject, it } from 'vitest';
import { isOperatorsFault } from '../../src/operations/commands/operators-fault.js';
import { openStorage } from '../../src/storage/open-storage.js';

const { adminUrl } = inject('postgres') ?? { adminUrl: '' };

async function faultOf(databaseUrl: string): Promise<Error> {
  const database = openStorage({ databaseUrl, durability: 'process' });
  try {
    return await database.migrate().then(
      () => new Error('it was let in'),
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
])('says in a line that there is %s, as something that may pass', async (_what, url, reason) => {
  const fault = await faultOf(url);
  expect(fault.name).toBe('StorageUnavailableError');
  expect(fault.message).toMatch(reason);
  expect(isOperatorsFault(fault)).toBe(true);
});
