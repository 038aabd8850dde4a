import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../../src/auth/auth-service.js';
import { OrganizationRepository } from '../../src/organizations/organization-repository.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { now, openRepository, temporaryFile } from './temporary-database.js';

describe('createFirst', () => {
  it('creates one organization when many servers start at once on an empty database', async () => {
    const file = temporaryFile();
    const databases = Array.from({ length: 4 }, () =>
      openStorage({ databaseUrl: `file:${file.path}`, durability: 'process' }),
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

describe('update', () => {
  it('returns the organization as it was and is, and null for an unknown one', async () => {
    const stored = await openRepository();
    onTestFinished(() => stored.close());
    const organizations = new OrganizationRepository(stored.database);
    const id = await stored.addOrganization('free');
    expect(await organizations.update(id, { plan: 'scale' }, now, undefined)).toMatchObject({
      result: { before: { id, plan: 'free' }, organization: { id, plan: 'scale' } },
    });
    expect(await organizations.update(id, { plan: 'scale' }, now, undefined)).toMatchObject({
      result: { before: { id, plan: 'scale' }, organization: { id, plan: 'scale' } },
    });
    expect((await organizations.get(id)).plan).toBe('scale');
    expect(await organizations.update('unknown', { plan: 'scale' }, now, undefined)).toEqual({
      result: null,
      replayed: false,
    });
    const changes = await stored.database.read.selectFrom('plan_changes').selectAll().execute();
    expect(changes).toEqual([{ organization_id: id, changed_at: now, plan_before: 'free' }]);
  });

  it('records the plan before the first of two changes within a millisecond', async () => {
    const stored = await openRepository();
    onTestFinished(() => stored.close());
    const organizations = new OrganizationRepository(stored.database);
    const id = await stored.addOrganization('free');
    await organizations.update(id, { plan: 'scale' }, now, undefined);
    await organizations.update(id, { plan: 'developer' }, now, undefined);
    expect((await organizations.get(id)).plan).toBe('developer');
    expect(
      await stored.database.read.selectFrom('plan_changes').select('plan_before').execute(),
    ).toEqual([{ plan_before: 'free' }]);
  });
});
