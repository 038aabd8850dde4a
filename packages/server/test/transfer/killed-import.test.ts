import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { exportOrganization } from '../../src/operations/transfer/export-organization.js';
import { requestToken, startForTest } from '../api/start-server.js';
import { databaseForTest } from '../engine.js';
import { command } from '../operator/server-process.js';
import { scratchFolder } from '../scratch-folder.js';
import { rowsWith } from '../storage/rows-with.js';

async function start(clock: () => number = Date.now) {
  const settings = await databaseForTest();
  const api = await startForTest({ ...settings, rateLimit: 0, clock });
  return { api, databaseUrl: settings.databaseUrl };
}

/** Exports an organization with a link, a client and a QR code to a file. */
async function exportOne() {
  const { api } = await start();
  const body = { targetUrl: 'https://zebrafish.example/', customSlug: 'zebrafish' };
  const data = await api.createLink(body);
  await api.call('createQr', { body: { urlId: Number(data.id) } });
  const file = join(scratchFolder(), 'exported');
  await exportOrganization(api.server.database, api.organizationId, async (lines) => {
    for await (const line of lines) writeFileSync(file, line, { flag: 'a' });
  });
  return { file, organizationId: api.organizationId, credentials: api.credentials };
}

// Starts many processes.
it('an import that is killed at any table stays invisible, and the next one replaces it', {
  timeout: 240_000,
}, async () => {
  const { file, organizationId, credentials } = await exportOne();
  let later = 0;
  const { api, databaseUrl } = await start(() => Date.now() + later);
  const { database } = api.server;
  const settings = { SHORTY_DATABASE_URL: databaseUrl };
  const preload = fileURLToPath(new URL('../storage/kill-at-statement.mjs', import.meta.url));
  const run = (killAt?: string) => {
    const kill = killAt && { NODE_OPTIONS: `--import ${preload}`, KILL_AT: killAt };
    return command({ ...settings, ...kill }, 'orgs', 'import', file);
  };
  const signIn = () => requestToken(api.server.url, credentials);
  for (const statement of ['insert into urls', 'update link_policy']) {
    const killed = await run(statement);
    expect(killed, statement).toEqual({ code: null, stdout: '', stderr: '' });
    expect((await signIn()).status).not.toBe(200);
    expect((await api.visit('/zebrafish')).status).toBeGreaterThanOrEqual(400);
    const params = { id: organizationId };
    expect((await api.operator.call('getOrganization', { params })).outcome).toBe('404 NOT_FOUND');
    expect((await api.operator.call('listOrganizations')).data).toMatchObject({ total: 1 });
  }

  expect(await rowsWith(database, organizationId)).not.toEqual([]);

  // The server removes it when its lease has ended, and nobody else loses a key.
  later = 60_000;
  await expect.poll(() => rowsWith(database, organizationId)).toEqual([]);
  expect((await rowsWith(database, 'zebrafish')).filter((row) => !/^cache_/.test(row))).toEqual([]);
  later = 0;

  expect((await run('insert into qr_counts')).code).toBeNull();
  expect(await run()).toMatchObject({ code: 0, stderr: '' });
  expect((await signIn()).status).toBe(200);
  await expect.poll(async () => (await api.visit('/zebrafish')).status).toBe(307);
});
