import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { describeSchema } from './describe-schema.js';
import { readReleased, releasedVersions, writeReleased } from './released-database.js';

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'shorty-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Migrates the database of a file and describes its schema. */
async function migrate(path: string) {
  const database = openStorage({ databaseUrl: `file:${path}`, durability: 'process' });
  try {
    await database.migrate();
    return await describeSchema(database);
  } finally {
    await database.close();
  }
}

it('has a database of version 0.1.0', () => {
  expect(releasedVersions).toContain('0.1.0');
});

it.each(releasedVersions)(
  'migrates a database of version %s, and its records read as before',
  async (version) => {
    const path = join(temporaryFolder(), 'shorty.db');
    writeReleased(version, path);
    const { credentials, responses } = readReleased(version);
    const fresh = join(temporaryFolder(), 'shorty.db');
    expect(await migrate(path)).toEqual(await migrate(fresh));

    const server = createServer({
      databaseUrl: `file:${path}`,
      shortDomain: 'sho.example',
      // The files have no key of their visitors.
      allowsNewKey: true,
    });
    await server.start();
    onTestFinished(() => server.stop());
    const api = `${server.url}/api/v1`;
    const token = await fetch(`${api}/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    const { data } = (await token.json()) as { data: { accessToken: string } };
    for (const [path, expected] of Object.entries(responses)) {
      const response = await fetch(api + path, {
        headers: { authorization: `Bearer ${data.accessToken}` },
      });
      const body = (await response.json()) as { data: object };
      expect(body.data, path).toMatchObject(expected);
    }
  },
);
