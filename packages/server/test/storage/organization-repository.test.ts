import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../../src/auth/auth-service.js';
import { OrganizationRepository } from '../../src/organizations/organization-repository.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { now, temporaryFile } from './temporary-database.js';

describe('createFirst', () => {
  it('of many servers that start at once on an empty database lets one make the organization', async () => {
    const file = temporaryFile();
    const databases = Array.from({ length: 4 }, () =>
      openStorage({ databasePath: file.path, durability: 'process' }),
    );
    onTestFinished(async () => {
      for (const database of databases) await database.close();
      file.remove();
    });
    await databases[0]?.migrate();
    const made = await Promise.all(
      databases.map((database, at) =>
        new OrganizationRepository(database).createFirst(
          { id: `organization-${at}`, name: 'default', plan: 'enterprise', createdAt: now },
          clientOf(`organization-${at}`, { clientId: 'the-same', clientSecret: 'secret' }),
        ),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    const [database] = databases;
    expect(database && (await new OrganizationRepository(database).list())).toHaveLength(1);
  });
});
