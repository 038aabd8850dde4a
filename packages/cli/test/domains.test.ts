import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const zone = new Map<string, string>();

const { server, shorty } = await startSignedInShorty({
  resolveTxt: async (name) => [zone.get(name) ?? 'nothing yet'],
});

const json = (...args: string[]) => shorty.json(['domains', ...args]);

test('create prints the TXT record and the next command', async () => {
  const { code, stdout, stderr } = await shorty.run('domains create One.example.com');
  expect(code).toBe(0);
  const value = /txtRecord\.value +(shorty-verification=\S+)/.exec(stdout)?.[1] ?? '';
  const id = /^id +(\S+)/m.exec(stdout)?.[1] ?? '';
  expect(stderr).toContain(`  _shorty-challenge.one.example.com  TXT  ${value}\n`);
  expect(stderr).toContain(`shorty domains verify one.example.com`);
  expect(await json('get', id)).toMatchObject({ txtRecord: { value }, isActive: false });
});

test('verify prints what DNS contains, and activates the domain when the record exists', async () => {
  const { id, txtRecord } = await json('create', 'two.example.com');
  await shorty.exits(1, 'is "nothing yet"', `domains verify ${id}`);
  zone.set(txtRecord.name, txtRecord.value);
  expect(await json('verify', id)).toMatchObject({ id, isActive: true });
});

test('update changes and clears settings by hostname', async () => {
  const { id } = await json('create', 'settings.example.com');
  await shorty.write('links.json', '[{"include":"https://example.com/links.json"}]');
  const update = (...args: string[]) => json('update', 'Settings.example.com', ...args);
  const urls = ['--root-url', 'https://www.example.com/', '--not-found-url', 'https://e.com/'];
  const flags = ['--ignore-case', '--forward-path', '--asset-links', 'links.json'];
  expect(await update(...urls, ...flags)).toMatchObject({
    id,
    rootUrl: 'https://www.example.com/',
    notFoundUrl: 'https://e.com/',
    ignoreCase: true,
    forwardQuery: false,
    forwardPath: true,
    assetLinks: [{ include: 'https://example.com/links.json' }],
  });
  const clear = ['--clear', 'root-url', '--clear', 'assetLinks'];
  const cleared = await update('--no-ignore-case', ...clear);
  expect(cleared).toMatchObject({ ignoreCase: false, rootUrl: null, assetLinks: null });
  expect((await shorty.run(`domains get ${id}`)).stdout).toContain('https://e.com/');
});

test('a file of links names domains by their hostnames', async () => {
  const { id, txtRecord } = await json('create', 'csv.example.com');
  zone.set(txtRecord.name, txtRecord.value);
  await json('verify', id);
  const input =
    'url,slug,domainId\nhttps://csv.example/,on-csv,CSV.example.com\nhttps://csv.example/,,no.example.com\n';
  const bulkCreate = ['urls', 'bulk-create', '-'];
  for (const args of [[...bulkCreate, '--dry-run'], bulkCreate]) {
    await shorty.exits(3, 'line 3: there is no domain "no.example.com"', args, { input });
  }
  const link = await server.client.urls.lookup('https://csv.example.com/on-csv');
  expect(link.domainId).toBe(id);
  const changes = 'id,domainId\n1,no.example.com\n';
  const refused = await shorty.run('urls bulk-update -', { input: changes });
  expect(refused.stderr).toContain('line 2: there is no domain "no.example.com"');
  await server.client.urls.delete(link.id);
});

test('list filters, and delete fails while links are active', async () => {
  const { id, txtRecord } = await json('create', 'five.example.com');
  const onPending = ['urls', 'create', 'https://example.com', '--domain-id', 'five.example.com'];
  expect((await shorty.run(onPending)).stderr).toContain('\n  shorty domains verify HOST ');
  zone.set(txtRecord.name, txtRecord.value);
  await json('verify', id);
  const ids = async (...args: string[]) =>
    (await json('list', ...args)).items.map((item: { id: string }) => item.id);
  const report = await shorty.run('analytics report --domain-id five.example.com');
  expect(report.stdout).toMatch(/^Clicks of links on five\.example\.com\n/);
  expect(await ids('--active')).toContain(id);
  expect(await ids('--no-active')).not.toContain(id);
  expect(await ids('--hostname', 'FIVE.example.com')).toEqual([id]);

  const link = await server.client.urls.create({
    targetUrl: 'https://example.com',
    domainId: id,
  });
  await shorty.exits(1, 'has active links', `domains delete ${id}`);
  await server.client.urls.delete(link.id);
  expect((await shorty.run(`domains delete ${id}`)).code).toBe(0);
  await shorty.exits(1, 'no such domain', `domains delete ${id}`);
});
