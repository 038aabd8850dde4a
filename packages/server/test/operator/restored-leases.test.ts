import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { takeBackup } from '../../src/operations/backup/take-backup.js';
import { ClickLeaseRepository } from '../../src/redirect/click-lease-repository.js';
import { startServer } from '../api/start-server.js';
import { temporaryFile } from '../storage/temporary-database.js';

const headers = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

it('a lease of clicks stays in a restored backup', async () => {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const api = await startServer({ databaseUrl: `file:${file.path}` });
  const { clock, organizationId } = api;
  const { data } = await api.call('createUrl', {
    body: { targetUrl: 'https://example.com/', customSlug: 'limited', maxClicks: 3 },
  });
  const urlId = Number(data.id);
  // A process that has ended, and whose journal is lost, may have used its click.
  const lost = new ClickLeaseRepository(api.server.database, 'lost', clock);
  const change = { urlId, organizationId, changeId: 'change', returned: 0, wanted: 1 };
  expect(await lost.change(change)).toMatchObject({ granted: 1 });
  const backup = join(file.path, '../backup.db');
  await takeBackup({ databasePath: file.path, to: backup, thresholds: [] });
  await api.stop();

  const restored = createServer({ databaseUrl: `file:${backup}`, clock });
  onTestFinished(() => restored.stop());
  await restored.start();
  const { database } = restored;
  const visit = async () =>
    (await fetch(`${restored.url}/limited`, { headers, redirect: 'manual' })).status;
  const clicks = async () =>
    database.read
      .selectFrom('url_clicks')
      .select(['clicks', 'erased_clicks as erased'])
      .where('url_id', '=', urlId)
      .executeTakeFirst();
  expect([await visit(), await visit()]).toEqual([307, 307]);
  await expect.poll(clicks).toEqual({ clicks: 2, erased: 0 });
  // The third click may be used, or may be given back.
  expect(await visit()).toBe(503);
});
