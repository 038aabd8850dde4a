import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectEnd } from './built-shorty.js';
import { FaultyFetch } from './faulty-fetch.js';
import { readTerminal } from './read-terminal.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();

const createLink = (customSlug: string) =>
  server.client.urls.create({ targetUrl: 'https://example.com', customSlug });

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await shorty.run(args);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

describe('create', () => {
  test('sends every field of a QR code', async () => {
    const design = [
      ...['--size', '300', '--format', 'svg', '--foreground-color', '#102030'],
      ...['--background-color', '#FAFAFA', '--error-correction-level', 'Q'],
      ...['--style-preset', 'rounded'],
    ];
    const made = await shorty.json(['qr', 'create', '--data', 'a text', ...design]);
    expect(await server.client.qr.get(made.id)).toMatchObject({
      urlId: null,
      qrData: 'a text',
      size: 300,
      format: 'svg',
      foregroundColor: '#102030',
      backgroundColor: '#FAFAFA',
      errorCorrection: 'Q',
      stylePreset: 'rounded',
    });
  });

  test.each(['svg', 'png', 'webp'])('--out writes the image of the server: %s', async (format) => {
    const file = `shape.${format.toUpperCase()}`;
    const { stdout, stderr } = await shorty.run(`qr create --data x --json --out ${file}`);
    const code = JSON.parse(stdout);
    expect([code.format, stderr]).toEqual([format, `image written to ${file}\n`]);
    const { bytes } = await server.client.qr.download(code.id);
    expect(Buffer.compare(await readFile(shorty.path(file)), bytes)).toBe(0);
  });

  test('warns when the link has no slug, with the commands that make one that has', async () => {
    const target = "https://example.com/it's";
    const { id } = await server.client.urls.create({ targetUrl: target });
    const { code, stdout, stderr } = await shorty.run(`qr create ${id} --json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).not.toHaveProperty('warning');
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `Link ${id} has no custom slug, so a tap on the link in a message counts as a scan, too.`,
    );
    expect(stderr).toContain(
      "\nshorty urls create 'https://example.com/it'\\''s' --slug NAME\nshorty qr create NAME\n",
    );
  });

  test('does not warn when the link has a slug, or cannot be read', async () => {
    const targetUrl = 'https://example.com/';
    await createLink('printed');
    const named = await shorty.run('qr create printed --json');
    expect([named.code, named.stderr]).toEqual([0, '']);
    const { id } = await server.client.urls.create({ targetUrl });
    const { key } = await server.client.apiKeys.create({ name: 'codes', scopes: ['qr:write'] });
    const env = { SHORTY_ACCESS_TOKEN: key, SHORTY_CLIENT_ID: '', SHORTY_CLIENT_SECRET: '' };
    const unreadable = await shorty.run(`qr create ${id} --json`, { env });
    expect([unreadable.code, unreadable.stderr]).toEqual([0, '']);
  });

  test('--out that cannot be written creates no code', async () => {
    const count = async () => (await server.client.qr.list()).total;
    const before = await count();
    const message = `no/x.png cannot be written: the folder ${shorty.path('no')} does not exist\n`;
    await shorty.exits(2, message, 'qr create --data x --out no/x.png');
    await shorty.exits(2, 'it is a folder', 'qr create --data x --out .');
    expect(await count()).toBe(before);
  });
});

describe('on a terminal', () => {
  const url = 'https://example.com/terminal';
  const create = (env: Record<string, string>, data: string, ...flags: string[]) =>
    shorty.run(['qr', 'create', '--data', data, ...flags], { isTerminal: true, env });

  test.each([
    [{}, url],
    [{}, 'x'.repeat(250)],
    [{ NO_COLOR: '1' }, 'Grüße 🎉'],
  ])('create prints a QR code that scans: %j', async (env, data) => {
    const { code, stdout, stderr } = await create(env, data);
    expect(code).toBe(0);
    const read = await readTerminal(stderr.trimEnd());
    expect(read).toMatchObject({ zbar: data, qr: data });
    // With the quiet zone, and no more.
    if (data === url) expect(read.width).toBe(29 + 8);
    expect(stderr.includes('\u001b')).toBe(!('NO_COLOR' in env));
    expect(stdout).toMatch(/^\S*id/);
    expect(stdout).not.toContain('▀');
  });

  test.each([
    ['--json', {}],
    ['--quiet', {}],
    ['--output=csv', {}],
    ['--no-color', { TERM: 'dumb' }],
  ])('not with %s %j', async (flag, env) => {
    const { code, stderr } = await create(env, url, flag);
    expect([code, stderr]).toEqual([0, '']);
  });
});

test('without a terminal, create draws no code, and shorten one without colors', async () => {
  const created = await shorty.run('qr create --data piped');
  expect(created.stdout).toContain('qrData');
  expect(created.stdout + created.stderr).not.toMatch(/[▀▄█]/);
  const { stdout, stderr } = await shorty.run('shorten https://example.com/piped --qr --copy');
  expect(stderr).toMatch(/^not copied: .*\n[▀▄█ \n]+$/);
  expect(stdout + stderr).not.toContain('\u001b');
});

test('list filters, get and update show one, delete removes it', async () => {
  const { id } = await server.client.urls.create({ targetUrl: 'https://example.com/list' });
  const codes = [];
  for (let at = 0; at < 3; at++) codes.push(await server.client.qr.create({ urlId: id }));
  const ids = codes.map((code) => code.id).reverse();
  const list = (...args: string[]) => shorty.json(['qr', 'list', ...args]);
  expect(await list('--url-id', id)).toMatchObject({
    total: 3,
    items: ids.map((each) => ({ id: each })),
  });
  expect((await list('--url-id', id, '--standalone')).total).toBe(0);
  expect((await list('--url-id', id, '--no-standalone', '--all')).items).toHaveLength(3);

  expect(await done('qr', 'get', ids[0] ?? '')).toContain(ids[0]);
  const update = ['qr', 'update', ids[0] ?? '', '--size', '640', '--clear', 'logoUrl'];
  expect(await shorty.json(update)).toMatchObject({ size: 640, logoUrl: null });
  expect((await shorty.run(['qr', 'update', ids[0] ?? ''])).code).toBe(2);
  expect((await shorty.run(['qr', 'delete', ids[0] ?? ''])).code).toBe(0);
  expect((await shorty.run(['qr', 'get', ids[0] ?? ''])).code).toBe(1);
});

test('scans are printed as a report, as rows and as the response', async () => {
  const { id } = await server.client.urls.create({ targetUrl: 'https://example.com/scans' });
  const code = await server.client.qr.create({ urlId: id });
  await fetch(code.qrData, {
    redirect: 'manual',
    headers: {
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    },
  });
  const totals = async () => (await shorty.json(['qr', 'scans', code.id])).totals;
  await expect
    .poll(async () => (await totals()).totalScans, { message: 'totalScans', timeout: 10_000 })
    .toBe(1);
  const text = await done('qr', 'scans', code.id, '--since', '7d');
  expect(text).toContain(`Scans of QR code ${code.id}`);
  expect(text).toMatch(/1 scan \(0 before\) {3}1 unique visitor \(0 before\) {3}1 address/);
  expect(text).toMatch(/0 proven scans[^\n]+1 inferred scan /);
  expect(text).toContain('inferred scans may be taps');
  expect(text).toMatch(/Scanned with\n {2}camera +1 +100.0%/);
  expect(await done('qr', 'scans', code.id, '-o', 'csv')).toMatch(
    /^bucket,scans,uniques,provenScans,inferredScans\n(.*\n)*.*,1,1,0,1\n/,
  );
  const unseen = await server.client.qr.create({ urlId: id });
  expect(await done('qr', 'scans', unseen.id)).toContain('no scans in this window');
});

describe('export', () => {
  let count = 0;
  let folder: string;
  let link: { id: string };

  beforeEach(async () => {
    count += 1;
    folder = `codes-${count}`;
    link = await createLink(`export-${count}`);
  });

  const run = (...args: string[]) =>
    shorty.run(['qr', 'export', '--out', folder, '--url-id', link.id, ...args]);
  const pictures = async () =>
    (await shorty.files(folder)).filter((name) => !name.startsWith('.')).sort();
  const downloads = async () =>
    (await server.client.qr.list({ urlId: link.id })).items.map((code) => code.downloadCount);

  test('writes each image once, and again only after a change', async () => {
    const codes = [];
    for (const format of ['png', 'svg', 'webp', 'png'] as const) {
      codes.push(await server.client.qr.create({ urlId: link.id, format }));
    }
    const [, svg, , second] = codes;
    const first = await run();
    expect([first.code, first.stdout]).toEqual([0, '4 codes: 4 written, 0 unchanged, 0 failed\n']);
    const plain = `export-${count}`;
    expect(await pictures()).toEqual([
      `${plain}-${second?.id.slice(-12)}.png`,
      `${plain}.png`,
      `${plain}.svg`,
      `${plain}.webp`,
    ]);
    expect((await run()).stdout).toBe('4 codes: 0 written, 4 unchanged, 0 failed\n');
    await expect.poll(downloads).toEqual([1, 1, 1, 1]);

    await server.client.qr.update(svg?.id ?? '', { size: 900 });
    await rm(shorty.path(join(folder, `${plain}.webp`)));
    expect((await run()).stdout).toBe('4 codes: 1 written, 2 unchanged, 1 failed\n');
    await writeFile(shorty.path(join(folder, `${plain}.png`)), 'half');
    expect((await run('--overwrite')).stdout).toBe('4 codes: 2 written, 2 unchanged, 0 failed\n');
    expect(await shorty.read(join(folder, `${plain}.svg`))).toContain('900');
    expect(
      (await readFile(shorty.path(join(folder, `${plain}.png`)))).subarray(1, 4).toString(),
    ).toBe('PNG');
  });

  test('--format filters QR codes, and each output format lists every file', async () => {
    await server.client.qr.create({ urlId: link.id, format: 'png' });
    const svg = await server.client.qr.create({ urlId: link.id, format: 'svg' });
    const { stdout } = await run('--format', 'svg', '-o', 'ndjson');
    expect(JSON.parse(stdout)).toEqual({
      id: svg.id,
      status: 'written',
      file: `export-${count}.svg`,
      size: expect.any(Number),
      error: null,
    });
    expect(await pictures()).toEqual([`export-${count}.svg`]);
    expect(JSON.parse((await run('--json')).stdout)).toEqual({
      written: 1,
      unchanged: 1,
      failed: 0,
      out: folder,
      errors: [],
    });
  });

  test('a file that differs is kept and reported: 3, or 1 if it is the only one', async () => {
    const code = await server.client.qr.create({ urlId: link.id });
    const file = `export-${count}.png`;
    await mkdir(shorty.path(folder));
    await shorty.write(join(folder, file), 'holiday photo');
    const alone = await run();
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain(`${file} (${code.id}): a file with this name exists`);
    await server.client.qr.create({ urlId: link.id, format: 'svg' });
    expect((await run()).code).toBe(3);
    expect(await shorty.read(join(folder, file))).toBe('holiday photo');
    expect((await run('--overwrite')).code).toBe(0);
    expect(await shorty.read(join(folder, file))).not.toBe('holiday photo');
  });

  test('the export follows no symbolic link', async () => {
    await server.client.qr.create({ urlId: link.id });
    const file = `export-${count}.png`;
    await mkdir(shorty.path(folder));
    await shorty.write('outside.txt', 'untouched');
    await symlink(shorty.path('outside.txt'), shorty.path(join(folder, file)));
    expect((await run('--overwrite')).code).toBe(0);
    expect(await shorty.read('outside.txt')).toBe('untouched');
    expect((await lstat(shorty.path(join(folder, file)))).isSymbolicLink()).toBe(false);
  });

  test('an interrupted export leaves complete files only, and resumes', async () => {
    const total = 60;
    for (let at = 0; at < total; at++) {
      await server.client.qr.create({ urlId: link.id, size: 200 + at });
    }
    const faults = new FaultyFetch((path) => path.endsWith('/download'));
    faults.decide = (index) => (index < 20 ? 'pass' : 'hold');
    const interruption = new AbortController();
    const args = ['qr', 'export', '--out', folder, '--url-id', link.id];
    const { fetch } = faults;
    const exporting = shorty.run(args, { fetch, interrupt: interruption.signal });
    await faults.held;
    interruption.abort();
    expectEnd(await exporting, 130, 'run the same command again');
    const before = await pictures();
    expect(before.length).toBeGreaterThanOrEqual(16);
    expect(before.length).toBeLessThanOrEqual(20);
    for (const name of before) {
      const bytes = await readFile(shorty.path(join(folder, name)));
      expect(bytes.subarray(-8, -4).toString()).toBe('IEND');
    }
    expect((await run()).code).toBe(0);
    expect(await pictures()).toHaveLength(total);
    expect((await shorty.files(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('a client without urls:read gets file names from the payloads', async () => {
    const code = await server.client.qr.create({ urlId: link.id });
    const token = await server.token('qr:read');
    const args = ['qr', 'export', '--out', folder, '--url-id', link.id];
    await shorty.exits(0, '', args, { env: { SHORTY_ACCESS_TOKEN: token } });
    expect(await pictures()).toEqual([`${code.qrData.split('/').at(-1)}.png`]);
  });
});

test('a link names its QR code, unless it has none or several', async () => {
  await createLink('qr-link');
  await shorty.exits(1, 'has 0 QR codes', 'qr get qr-link');
  const made = await shorty.json(['qr', 'create', 'qr-link']);
  await shorty.run('qr create qr-link --format svg');
  await shorty.exits(1, `${made.id} (png)`, 'qr delete qr-link');
});

test('export --tag creates the codes that are missing, in each format', async () => {
  for (const slug of ['tagged-one', 'tagged-two']) {
    await server.client.urls.create({
      targetUrl: 'https://e.example',
      customSlug: slug,
      tags: ['poster'],
    });
  }
  await shorty.run('qr create tagged-one --format svg');
  const args = ['qr', 'export', '--tag', 'poster', '--format', 'svg,png', '--out', 'posters'];
  expect((await shorty.run(args)).stdout).toBe('4 codes: 4 written, 0 unchanged, 0 failed\n');
  const files = (await shorty.files('posters')).filter((name) => !name.startsWith('.'));
  expect(files.sort()).toEqual([
    ...['tagged-one.png', 'tagged-one.svg', 'tagged-two.png', 'tagged-two.svg'],
  ]);
  expect((await shorty.run(args)).stdout).toBe('4 codes: 0 written, 4 unchanged, 0 failed\n');
});
