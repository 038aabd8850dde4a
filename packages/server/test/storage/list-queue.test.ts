import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openListReader } from '../../src/lists/open-list-reader.js';
import type { Database } from '../../src/storage/database.js';
import { openRepository, type Stored } from './temporary-database.js';

let stored: Stored;
beforeAll(async () => {
  stored = await openRepository();
});
afterAll(() => stored.close());

it('the lists of one organization take half of the slots', async () => {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const readListPage: Database['readListPage'] = async (query) => {
    await released;
    return stored.database.readListPage(query);
  };
  const reader = openListReader({
    isThreaded: false,
    storage: { databaseUrl: stored.databaseUrl, durability: 'process' },
    database: { ...stored.database, readListPage, maxConcurrentLists: 4 },
    logger: pino({ level: 'silent' }),
  });
  await reader.start();
  const [plain] = reader.queues;
  const origins = { scheme: 'https://', shortDomain: 'sho.example' };
  const presentation = { view: 'full', origins, now: 0 } as const;
  const list = (organizationId: string) =>
    reader.lists.listUrls(organizationId, { limit: 10, offset: 0 }, presentation);
  const pages = Array.from({ length: 6 }, () => list('organization-1'));
  expect(plain?.figures).toMatchObject({ running: 2, waiting: 4 });
  pages.push(list('organization-2'));
  expect(plain?.figures).toMatchObject({ running: 3, waiting: 4 });
  release();
  expect(await Promise.all(pages)).toHaveLength(7);
  await reader.stop();
});
