import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { callerOf, requestToken, startServer } from '../api/start-server.js';
import { databaseForTest } from '../engine.js';

const targetUrl = 'https://example.com/';

it('a server that ignores case from now on finds its links, or names those that collide', async () => {
  const { databaseUrl, journalFolder } = await databaseForTest();
  const first = await startServer({ databaseUrl, journalFolder });
  // More than are folded at once.
  const slugs = ['Spring-Sale', ...Array.from({ length: 600 }, (_, index) => `Key-${index}`)];
  for (let at = 0; at < slugs.length; at += 100) {
    const urls = slugs.slice(at, at + 100).map((customSlug) => ({ targetUrl, customSlug }));
    await first.call('bulkCreateUrls', { body: { urls } });
  }
  const colliding = await first.call('createUrl', { body: { targetUrl, customSlug: 'key-599' } });
  await first.stop();

  const options = { databaseUrl, journalFolder, ignoreCase: true };
  const refused = createServer(options);
  await expect(refused.start()).rejects.toThrow(
    'links differ only in the case of their keys: Key-599 and key-599. Erase one of each pair',
  );
  await refused.stop();

  const second = createServer({ databaseUrl, journalFolder });
  await second.start();
  await second.database.writeDirectly(async (transaction) => {
    const id = Number(colliding.data.id);
    await transaction.deleteFrom('url_keys').where('url_id', '=', id).execute();
  });
  await second.stop();

  const third = createServer(options);
  onTestFinished(() => third.stop());
  await third.start();
  for (const path of ['/SPRING-sale', '/key-599', '/Key-0']) {
    const response = await fetch(third.url + path, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe(targetUrl);
  }
});

it('an erased slug stays taken in any case when a server ignores case from now on', async () => {
  const { databaseUrl, journalFolder } = await databaseForTest();
  const first = await startServer({ databaseUrl, journalFolder });
  const create = (customSlug: string) =>
    first.call('createUrl', { body: { targetUrl, customSlug } });
  const { id } = (await create('Sale')).data;
  await first.call('deleteUrl', { params: { id }, query: { erase: true } });
  expect((await create('Sale')).status).toBe(409);
  await first.stop();

  const second = createServer({ databaseUrl, journalFolder, ignoreCase: true });
  onTestFinished(() => second.stop());
  await second.start();
  const { data } = await requestToken(second.url, first.credentials);
  const { accessToken } = data as { accessToken: string };
  const caller = callerOf(second.url, accessToken, first.organizationId);
  const createAgain = async (customSlug: string) =>
    (await caller.call('createUrl', { body: { targetUrl, customSlug } })).status;
  expect(await createAgain('SALE-2')).toBe(201);
  expect(await createAgain('SALE')).toBe(409);
});
