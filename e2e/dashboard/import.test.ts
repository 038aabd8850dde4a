import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { standardPlans } from '@shorty/server';
import { expect, test } from 'vitest';
import { saveScreenshot } from '../lib/browser.js';
import { expectAccessible, useDashboard } from '../lib/dashboard.js';
import { scratchFolder } from '../lib/processes.js';

/** The TXT records by their names. */
const zone = new Map<string, string>();
const dashboard = useDashboard({ resolveTxt: async (name) => [zone.get(name) ?? ''] });
const full = useDashboard({ plans: { ...standardPlans, enterprise: standardPlans.free } });
const file = 'A CSV file, or an export of another service';

function write(name: string, content: string | Buffer): string {
  const path = join(scratchFolder(), name);
  writeFileSync(path, content);
  return path;
}

const total = async (tag: string) => (await dashboard.shorty.urls.list({ tag })).total;

test('a CSV is mapped, checked and imported, and its bad rows come back with their reasons', async () => {
  const rows = Array.from({ length: 150 }, (_, index) => `https://example.com/${index},,Sheet`);
  rows[0] = 'https://example.com/0,taken-slug,<b>first</b>';
  rows[1] = 'ftp://example.com/1,,bad';
  await dashboard.shorty.urls.create({
    targetUrl: 'https://example.com/',
    customSlug: 'taken-slug',
  });
  const path = write('links.csv', ['Address,slug,Label', ...rows, ''].join('\n'));
  const page = await dashboard.open('/import');
  await page.getByLabel(file).setInputFiles(path);
  await page.getByText('the header has no column targetUrl').waitFor();
  await page.getByRole('cell', { name: '<b>first</b>' }).waitFor();
  await page.getByLabel('Field of Address').selectOption('targetUrl');
  await page.getByLabel('Field of Label').selectOption('tags');
  await page.getByText('150 rows: 149 can be imported, 1 cannot.').waitFor();
  await page.getByText('Line 3: targetUrl').waitFor();
  await expectAccessible(page);
  await saveScreenshot(page, 'import-check');

  await page.getByRole('button', { name: 'Import 149 links' }).click();
  await page.getByText('150 of 150 rows: 148 links made, 2 failed.').waitFor();
  await page.getByText('Line 2: ').waitFor();
  await expectAccessible(page);
  await saveScreenshot(page, 'import-done');
  expect(await total('Sheet')).toBe(148);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the bad rows' }).click();
  const bad = readFileSync(await (await download).path(), 'utf8').split('\n');
  expect(bad[0]).toBe('\ufeffAddress,slug,Label,error');
  expect(bad[1]).toMatch(/^https:\/\/example\.com\/0,taken-slug,<b>first<\/b>,.*taken-slug/);
  expect(bad[2]).toMatch(/^ftp:\/\/example\.com\/1,,bad,.*http/);

  // Corrected in a spreadsheet, the same file is imported with the same columns.
  const corrected = bad.join('\n').replace('taken-slug,', 'free-slug,');
  await page.reload();
  await page.getByLabel(file).setInputFiles(write('bad.csv', corrected));
  await page.getByLabel('Field of Address').selectOption('targetUrl');
  await page.getByRole('button', { name: 'Import 1 link' }).click();
  await page.getByText('2 of 2 rows: 1 link made, 1 failed.').waitFor();
  await page.getByRole('link', { name: 'To the links' }).click();
  await page.getByRole('link', { name: /^localhost.*free-slug$/ }).waitFor();
  dashboard.expectNoProblems();
});

test('a file of a spreadsheet is imported twice, by the keyboard alone, and each link is made once', async () => {
  const content = Buffer.from('url;tags\nhttps://example.com/caf\u00e9;caf\u00e9\n', 'latin1');
  const path = write('excel.csv', content);
  for (const earlier of ['', 'An earlier import of this file had made 1']) {
    const page = await dashboard.open('/import');
    const chooser = page.waitForEvent('filechooser');
    await page.getByLabel(file).focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(path);
    const encoding = page.getByLabel('Encoding').locator('option').first();
    await expect.poll(() => encoding.textContent()).toBe('windows-1252 (detected)');
    await page.getByRole('button', { name: 'Import 1 link' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`1 of 1 row: 1 link made, 0 failed. ${earlier}`.trim()).waitFor();
    await page.close();
  }
  expect(await total('caf\u00e9')).toBe(1);
});

test('an export of another service is recognized, and what is not kept is told', async () => {
  const path = write(
    'links.json',
    JSON.stringify([
      { domain: 'dub.sh', key: 'kept', url: 'https://example.com/dub', folderId: 'f1' },
      { domain: 'dub.sh', key: 'old', url: 'https://example.com/', expiresAt: '2020-01-01' },
    ]),
  );
  const page = await dashboard.open('/import');
  await page.getByLabel(file).setInputFiles(path);
  await page.getByLabel('Written by').selectOption('Dub');
  await page.getByText('2 rows: 2 can be imported, 0 cannot.').waitFor();
  await page.getByText('Not kept: folderId of 1 link.').waitFor();
  await page.getByText('1 link will be paused').waitFor();
  await expectAccessible(page);
  await saveScreenshot(page, 'import-dub');
  await page.getByRole('button', { name: 'Import 2 links' }).click();
  await page.getByText('2 links made, 0 failed').waitFor();
  const { importedClicks, targetUrl } = await dashboard.shorty.urls.lookup(
    `${dashboard.server.url}/kept`,
  );
  expect({ importedClicks, targetUrl }).toEqual({
    importedClicks: 0,
    targetUrl: 'https://example.com/dub',
  });

  // Dropped, as people do.
  const dropped = await page.context().newPage();
  await dropped.goto(`${dashboard.server.url}/dashboard/import`);
  const { x, y } = (await dropped.getByLabel(file).boundingBox()) ?? { x: 0, y: 0 };
  const content = 'Link,Long URL\nhttps://bit.ly/a,https://example.com/\n';
  const data = { items: [], files: [write('b.csv', content)], dragOperationsMask: 1 };
  const browser = await dropped.context().newCDPSession(dropped);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await browser.send('Input.dispatchDragEvent', { type, x: x + 9, y: y + 9, data });
  }
  await dropped.getByText('1 row: 1 can be imported').waitFor();
  const source = dropped.getByLabel('Written by').locator('option').first();
  expect(await source.textContent()).toBe('Bitly (detected)');
  const table = 'keyword\turl\ttimestamp\nold_1\thttps://example.com/\t2020-01-02 03:04:05\n';
  await dropped.getByLabel(file).setInputFiles(write('table.tsv', table));
  await expect.poll(() => source.textContent()).toBe('YOURLS (detected)');
  dashboard.expectNoProblems();
});

test('the encoding, the delimiter and the domains of a file are chosen', async () => {
  const { id, txtRecord } = await dashboard.shorty.domains.create({ hostname: 'go.example.com' });
  zone.set(txtRecord.name, txtRecord.value);
  await dashboard.shorty.domains.verify(id);
  // A byte that is another letter in each encoding.
  const row = 'https://bit.ly/moved;https://example.com/moved;\u00be';
  const bytes = Buffer.from(`Link;Long URL;Tags\n${row}\n`, 'latin1');
  const page = await dashboard.open('/import');
  await page.getByLabel(file).setInputFiles(write('bitly.csv', bytes));
  await page.getByLabel('Columns are separated by').selectOption('comma');
  await page.getByText('the header has no column targetUrl').waitFor();
  await page.getByLabel('Columns are separated by').selectOption('semicolon');
  await page.getByLabel('Encoding').selectOption('iso-8859-2');
  await page.getByRole('cell', { name: '\u017e' }).waitFor();
  // The check runs again for another service, in whose files this column has no host.
  const moves = page.getByLabel('Links of bit.ly move to');
  await moves.waitFor();
  await page.getByLabel('Written by').selectOption('Shlink');
  await moves.waitFor({ state: 'detached' });
  await page.getByLabel('Written by').selectOption('');
  await moves.selectOption('go.example.com');
  await page.getByRole('button', { name: 'Import 1 link' }).click();
  await page.getByText('1 link made, 0 failed').waitFor();
  const { tags, domainId } = await dashboard.shorty.urls.lookup('https://go.example.com/moved');
  expect({ tags, domainId }).toEqual({ tags: ['\u017e'], domainId: id });
});

test('an import asks before it is left, is stopped and continued, and makes each link once', async () => {
  const rows = Array.from({ length: 150 }, (_, index) => `https://example.com/${index},stopped`);
  const page = await dashboard.open('/import');
  let continueLate = () => {};
  const late = new Promise<void>((resolve) => {
    continueLate = resolve;
  });
  let requests = 0;
  await page.route('**/api/v1/urls/bulk', async (route) => {
    requests += 1;
    // The second request arrives, although the person has stopped.
    if (requests === 2) await late;
    await route.continue().catch(() => {});
  });
  await page.getByLabel(file).setInputFiles(write('stop.csv', ['url,tags', ...rows].join('\n')));
  await page.getByRole('button', { name: 'Import 150 links' }).click();
  await page.getByText('100 of 150 rows').waitFor();
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.type());
    void dialog.dismiss();
  });
  await page.getByRole('link', { name: 'Domains' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => questions).toEqual(['confirm', 'confirm', 'beforeunload']);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  continueLate();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('An earlier import of this file had made').waitFor();
  await page.getByText('150 of 150 rows: 150 links made, 0 failed.').waitFor();
  expect(await total('stopped')).toBe(150);
});

test('a workbook is refused with the next step', async () => {
  const page = await dashboard.open('/import');
  await page.getByLabel(file).setInputFiles(write('links.xlsx', 'PK\u0003\u0004'));
  await page
    .getByText('links.xlsx is an Excel workbook or another archive; save it as CSV')
    .waitFor();
  await expectAccessible(page);
});

test('rows beyond the quota of the plan come back as a file, and no request is wasted on them', async () => {
  const rows = Array.from({ length: 300 }, (_, index) => `https://example.com/${index}`);
  const page = await full.open('/import');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByLabel(file).setInputFiles(write('many.csv', ['url', ...rows, ''].join('\n')));
  await page.getByRole('button', { name: 'Import 300 links' }).click();
  await page.getByText('300 of 300 rows: 50 links made, 250 failed.').waitFor();
  expect(requests.filter((url) => url.endsWith('/bulk')).length).toBe(1);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the bad rows' }).click();
  const bad = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n');
  expect(bad).toHaveLength(251);
  expect(bad.at(-1)).toContain('not sent');
  full.expectNoProblems();
});
