import { expect, it, onTestFinished } from 'vitest';
import { patchUrl } from '../../src/urls/change-url.js';
import { settingsHashOf } from '../../src/urls/short-url.js';
import { deleteUrls, now, openRepository, updateUrls } from './temporary-database.js';

it('each write of a link stores the hash of its settings', async () => {
  const { database, urls, close, addOrganization, create } = await openRepository();
  onTestFinished(close);
  const organizationId = await addOrganization('enterprise');
  const created = await create(organizationId, [{}, { utmTerm: 'a' }, {}, { title: 'title' }]);
  const ids = created.map((each) => ('id' in each ? each.id : 0));
  const check = async () => {
    const rows = await database.read.selectFrom('urls').selectAll().orderBy('id').execute();
    expect(rows.map((row) => row.settings_hash)).toEqual(rows.map(settingsHashOf));
    return rows.map((row) => row.settings_hash);
  };
  const [first, second, third, fourth] = await check();
  expect([third, fourth]).toEqual([first, first]);
  expect(second).not.toBe(first);
  await updateUrls(urls, organizationId, ids.slice(1, 3), now + 1, (url) =>
    patchUrl(url, { targetUrl: 'https://example.org/', utmTerm: null }, null, now + 1),
  );
  const changed = await check();
  expect(changed[1]).toBe(changed[2]);
  expect(changed[1]).not.toBe(first);
  await deleteUrls(urls, organizationId, ids.slice(0, 1), now + 2);
  await check();
});
