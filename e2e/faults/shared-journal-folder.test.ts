import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { connect } from '../lib/api.js';
import { freePort, scratchFolder, startServer } from '../lib/processes.js';
import { followLinks } from '../lib/visitors.js';

const visitedLinks = 20;
const waiting = { timeout: 60_000, interval: 50 };

test('two nodes share a journal folder, and one ingests the journal of the other after a kill', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.createDatabase('machine');
  const folder = scratchFolder();
  const journalFolder = join(folder, 'visits');
  const startNode = async (port: number) =>
    startServer({
      port,
      folder,
      environment: {
        SHORTY_DATABASE_URL: postgres.urlOf('machine'),
        SHORTY_JOURNAL_FOLDER: journalFolder,
      },
    });
  const ports = [await freePort(), await freePort()] as const;
  const first = await startNode(ports[0]);
  const second = await startNode(ports[1]);
  expect(readdirSync(journalFolder)).toHaveLength(2);

  const shorty = connect(second.origin);
  const { created } = await shorty.urls.bulkCreate(
    Array.from({ length: visitedLinks }, () => ({ targetUrl: 'https://example.com' })),
  );
  const clicks = async () => {
    const records = await Promise.all(created.map(({ id }) => shorty.urls.get(id)));
    return records.reduce((sum, { clickCount }) => sum + clickCount, 0);
  };
  const visitors = followLinks(
    [first, second].map(({ origin }) => created.map(({ shortCode }) => `${origin}/${shortCode}`)),
  );
  await vi.waitFor(() => expect(visitors.answered()).toBeGreaterThan(2_000), waiting);
  await first.kill();
  const atKill = visitors.answered();
  await vi.waitFor(() => expect(visitors.answered()).toBeGreaterThan(atKill + 500), waiting);
  await visitors.end();

  // The second node finds the journal while the first one stays down.
  await vi.waitFor(async () => {
    expect(readdirSync(journalFolder)).toHaveLength(1);
    expect(await clicks()).toBeGreaterThanOrEqual(visitors.answered());
  }, waiting);
  // Visits whose response the kill interrupted may have been recorded.
  expect(await clicks()).toBeLessThanOrEqual(visitors.answered() + visitors.cutOff());

  const restarted = await startNode(ports[0]);
  expect(await restarted.stop()).toBe(0);
  expect(await second.stop()).toBe(0);
  expect(readdirSync(journalFolder)).toEqual([]);
});
