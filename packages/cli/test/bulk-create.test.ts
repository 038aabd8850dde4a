import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { recordsOf } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();

async function linksTo(prefix: string) {
  return (await server.links()).filter(({ targetUrl }) => targetUrl.startsWith(prefix));
}

const mixed = [
  'url,slug,tags,utm_source,utm_id,is_password_protected,max_clicks',
  'https://mixed.example/1,mixed-1, a | b ,mail,7,,500',
  'no address,a/b,,,,,',
  '',
  '"https://mixed.example/2?a,b",,"say ""hi""",,,no,',
  'https://mixed.example/3,x,,,,,',
  'https://mixed.example/4,,,,,',
  'https://mixed.example/5,,,,,maybe,',
  'https://mixed.example/6,,,,,,"50,500"',
].join('\r\n');

test('creates a link for each row, and writes failed rows unchanged', async () => {
  await shorty.write('mixed.csv', `${mixed}\r\n`);
  const args = ['urls', 'bulk-create', 'mixed.csv', '--out', 'made.csv', '--failed-out', 'bad.csv'];
  const { code, stdout, stderr } = await shorty.run(args);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^7 rows: 2 created, 5 failed in \d\.\d s \([\d,]+ rows\/s\)\n$/);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(
      /^line 3: targetUrl is "no address": it .*; customSlug is "a\/b": it .* \(CREATE_FAILED\)$/,
    ),
    expect.stringMatching(/^line 6: customSlug .* \(CREATE_FAILED\)$/),
    'line 7: the row has 6 of 7 cells (INVALID_ROW)',
    'line 8: isPasswordProtected must be true, false, yes, no, 1 or 0, not "maybe" (INVALID_ROW)',
    'line 9: maxClicks must be a whole number, not "50,500" (INVALID_ROW)',
    '',
  ]);
  const made = await linksTo('https://mixed.example/');
  expect(made).toMatchObject([
    {
      targetUrl: 'https://mixed.example/1',
      customSlug: 'mixed-1',
      tags: ['a', 'b'],
      utmSource: 'mail',
      customUtmParams: { utm_id: '7' },
      maxClicks: 500,
    },
    { targetUrl: 'https://mixed.example/2?a,b', customSlug: null, tags: ['say "hi"'] },
  ]);
  const [first, second] = made;
  expect(await shorty.read('made.csv')).toBe(
    [
      'line,index,id,shortCode,shortUrl,targetUrl,customSlug',
      `2,0,${first?.id},${first?.shortCode},${first?.shortUrl},https://mixed.example/1,mixed-1`,
      `5,2,${second?.id},${second?.shortCode},${second?.shortUrl},"https://mixed.example/2?a,b",`,
      '',
    ].join('\n'),
  );
  const rows = mixed.split('\r\n');
  const bad = (await shorty.read('bad.csv')).trimEnd().split('\r\n');
  expect(bad[0]).toBe(`${rows[0]},error`);
  // The rows are unchanged, and their reasons follow.
  const failed = [2, 5, 6, 7, 8].map((index) => rows[index] ?? '');
  expect(bad.slice(1).map((line, index) => line.startsWith(`${failed[index]},`))).not.toContain(
    false,
  );
});

test('failed rows can be corrected and imported', async () => {
  await shorty.write('rows.csv', 'url,title\nhttps://rows.example/1,a\nrows.example/2,"b\nc"\n');
  await shorty.run('urls bulk-create rows.csv --failed-out again.csv');
  const broken = await shorty.read('again.csv');
  const reason = '"targetUrl is ""rows.example/2"": it must start with http:// or https://"';
  expect(broken).toBe(`url,title,error\nrows.example/2,"b\nc",${reason}\n`);
  // A row that fails again has its new reason only.
  const again = ['urls', 'bulk-create', 'again.csv'];
  // No row makes a link, so it is 1 and not 3.
  expect((await shorty.run([...again, '--failed-out', 'third.csv'])).code).toBe(1);
  expect(await shorty.read('third.csv')).toBe(broken);
  const corrected = broken.replace('rows.', 'https://rows.').replace('b\nc', 'b c');
  await shorty.write('again.csv', corrected);
  await shorty.exits(0, '', again);
  expect((await linksTo('https://rows.example/')).map(({ title }) => title)).toEqual(['a', 'b c']);
});

test.each([
  ['links.csv', 'PK\u0003\u0004', 'an Excel workbook or another archive\n  save it as CSV'],
  [
    'links.xls',
    '\u00d0\u00cf\u0011\u00e0',
    'an Excel workbook of an old version\n  save it as CSV',
  ],
  ['links.csv.gz', '\u001f\u008b\u0008', 'compressed with gzip\n  unpack it with gunzip'],
  ['links.bin', 'a\u0000b', 'not a text file\n  save it as CSV'],
])('%s that begins with %j is refused with the next step', async (name, start, message) => {
  await shorty.write(name, Buffer.from(start, 'latin1'));
  await shorty.exits(2, `${name} is ${message}`, ['urls', 'bulk-create', name]);
});

test('reads standard input, and leaves no temporary file', async () => {
  const env = { TMPDIR: shorty.folder };
  const before = await shorty.files('.');
  const input = 'targetUrl\nhttps://stdin.example/1\nhttps://stdin.example/2\n';
  const { code, stdout } = await shorty.run('urls bulk-create -', { input, env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 rows: 2 created')]);
  expect(await linksTo('https://stdin.example/')).toHaveLength(2);
  const after = await shorty.files('.');
  expect(after.filter((name) => name.startsWith('shorty-import'))).toEqual([]);
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
});

const input = 'url\nhttps://formats.example/1\nnone\n';

test('JSON is one summary', async () => {
  const { code, stdout } = await shorty.run('urls bulk-create - --json', { input });
  expect(code).toBe(3);
  const error = 'targetUrl is "none": it must start with http:// or https://';
  expect(JSON.parse(stdout)).toEqual({
    ...{ rows: 2, created: 1, failed: 1, skipped: 0, uncertain: 0, rowsBefore: 0 },
    ...{ isQuotaReached: false, durationMs: expect.any(Number), out: null, failedOut: null },
    errors: [{ line: 3, index: 1, error, code: 'CREATE_FAILED' }],
  });
});

test('NDJSON and CSV have one line for each row', async () => {
  const args = ['urls', 'bulk-create', '-', '--no-resume', '--output'];
  const ndjson = await shorty.run([...args, 'ndjson'], { input });
  expect(recordsOf(ndjson.stdout)).toMatchObject([
    { status: 'created', line: 2, index: 0, targetUrl: 'https://formats.example/1' },
    { status: 'failed', line: 3, index: 1, code: 'CREATE_FAILED' },
  ]);
  const csv = await shorty.run([...args, 'csv'], { input });
  expect(csv.stdout.split('\n')).toEqual([
    'line,index,status,id,shortCode,shortUrl,targetUrl,customSlug,error,code',
    expect.stringMatching(/^2,0,created,\d+,\w+,http\S+,https:\/\/formats\.example\/1,,,$/),
    '3,1,failed,,,,,,"targetUrl is ""none"": it must start with http:// or https://",CREATE_FAILED',
    '',
  ]);
});

test('--quiet prints failures only', async () => {
  const quiet = await shorty.run('urls bulk-create - --no-resume --quiet', { input });
  expect(quiet).toEqual({ code: 3, stdout: '', stderr: expect.stringMatching(/^line 3: .*\n$/) });
});

test('--map and --ignore-columns adapt an unknown header', async () => {
  const map = ['--map', 'link=targetUrl', '--map', 'Titel=title', '--ignore-columns', 'Notiz'];
  const input = 'Link;Titel;Notiz\nhttps://map.example/1;Hallo;x\n';
  const { code, stderr } = await shorty.run(['urls', 'bulk-create', '-', ...map], { input });
  expect([code, stderr]).toEqual([
    0,
    'columns are separated by a semicolon; --delimiter changes this\n',
  ]);
  expect(await linksTo('https://map.example/')).toMatchObject([{ title: 'Hallo' }]);
});

const short = '"title, short, in, all"';
test.each([
  ['semicolon', `url;${short};title\nhttps://a.example/1;x;One\n`, ['--ignore-columns', short]],
  ['semicolon', 'title;url\n"One, two, three, four";https://a.example/1\n', []],
  ['semicolon', 'url;title\nhttps://a.example/?in=1,2,3,4,5;One\n', []],
  ['pipe', 'url|slug\nhttps://a.example/1|a-1\n', []],
])('a %s separates, also beside commas: %j', async (name, input, args) => {
  const command = ['urls', 'bulk-create', '-', '--dry-run', ...args];
  const note = `columns are separated by a ${name}; --delimiter changes this\n`;
  const { stdout } = await shorty.exits(0, note, command, { input });
  expect(stdout).toContain('1 row');
});

test.each([
  ['an unknown column', 'url,tilte\n', [], '"tilte" (did you mean title?)'],
  ['an empty file', '', [], 'standard input is empty'],
  ['a concurrency beyond measure', 'url\n', ['--concurrency', '99'], 'at most 32'],
  ['a delimiter that is none', 'url\n', ['--delimiter', 'ab'], 'must be one character'],
])('%s exits with 2 before anything is sent', async (_, input, args, message) => {
  const before = (await server.links()).length;
  const command = ['urls', 'bulk-create', '-', ...args];
  expect((await shorty.exits(2, message, command, { input })).stdout).toBe('');
  expect(await server.links()).toHaveLength(before);
});

test('--ignore-columns without a value ignores every unknown column', async () => {
  const input = 'url,what,ever\nhttps://ignore.example/1,1,2\n';
  const args = ['urls', 'bulk-create', '-', '--ignore-columns'];
  expect((await shorty.run(args, { input })).code).toBe(0);
});

test.each([
  ['urls bulk-create missing.csv', 'missing.csv: file not found'],
  ['urls bulk-create .', '. is a folder, not a file'],
  ['urls bulk-create same.csv --out same.csv', 'is the input file'],
  ['urls bulk-create same.csv --out made.xlsx', 'unknown extension .xlsx\n  use .csv'],
  [
    'urls bulk-create same.csv --failed-out bad.xlsx',
    '--failed-out bad.xlsx: unknown extension .xlsx\n  use .csv',
  ],
  ['urls bulk-create same.csv --out a --failed-out ./a', 'must be different files'],
  ['urls bulk-create same.csv --out -', '--output csv prints each row to stdout'],
  ['urls bulk-create same.csv --out no/where.csv', 'cannot be written'],
  ['urls bulk-create same.csv --resume', 'this file has no interrupted import'],
])('%s: 2', async (line, message) => {
  await shorty.write('same.csv', 'url\nhttps://same.example/1\n');
  await shorty.exits(2, message, line.split(' '));
  expect(await shorty.read('same.csv')).toBe('url\nhttps://same.example/1\n');
});

test('a full disk stops an import with the name of the file', async () => {
  await shorty.write('same.csv', 'url\nhttps://same.example/1\n');
  const message = '/dev/full cannot be written: ENOSPC';
  await shorty.exits(1, message, 'urls bulk-create same.csv --out /dev/full');
});

test('--dry-run checks every row, needs no credentials and sends nothing', async () => {
  const signedOut = await shorty.withHome({ SHORTY_BASE_URL: server.url });
  await signedOut.write('dry.csv', `${mixed}\n`);
  const before = (await server.links()).length;
  const bad = await signedOut.run('urls bulk-create dry.csv --dry-run --failed-out dry-bad.csv');
  expect([bad.code, bad.stdout]).toEqual([
    3,
    '7 rows checked: 2 valid, 5 invalid; nothing was sent\n',
  ]);
  const rows = (await signedOut.read('dry-bad.csv')).trimEnd().split('\n');
  expect(rows).toHaveLength(6);
  expect(rows[1]).toMatch(/,"targetUrl .*; customSlug /);
  const settings = await signedOut.run('urls bulk-create - --dry-run --json', {
    input: [
      'url,expiresAt,password,isPasswordProtected',
      'https://example.com,2020-01-01,,',
      'https://example.com,,sesame,no',
      'https://example.com,,,yes',
      '',
    ].join('\n'),
  });
  expect(JSON.parse(settings.stdout).errors.map(({ error }: { error: string }) => error)).toEqual([
    'expiresAt is "2020-01-01T23:59:59.000Z": it must lie in the future',
    'isPasswordProtected must be true when a password is given',
    'password is needed when isPasswordProtected is true',
  ]);
  const fine = await signedOut.run('urls bulk-create - --dry-run --json', {
    input: 'url\nhttps://example.com\n',
  });
  expect([fine.code, JSON.parse(fine.stdout)]).toEqual([
    0,
    { dryRun: true, rows: 1, fine: 1, bad: 0, errors: [] },
  ]);
  const none = await signedOut.run('urls bulk-create - --dry-run', { input: 'url\nno address\n' });
  expect(none.code).toBe(1);
  expect(await server.links()).toHaveLength(before);
});

test('Latin-1 is detected and reported', async () => {
  const latin = Buffer.from('url,title\nhttps://latin.example/1,Gr\xfc\xdfe \x80\n', 'latin1');
  await shorty.write('latin.csv', latin);
  const told = await shorty.run('urls bulk-create latin.csv');
  expect([told.code, told.stderr]).toEqual([
    0,
    'reading latin.csv as windows-1252; save it as UTF-8 if texts are wrong\n',
  ]);
  expect(await linksTo('https://latin.example/')).toMatchObject([{ title: 'Grüße €' }]);
});

test.each(['utf-16le', 'utf-16be'])('%s with a byte order mark is imported', async (encoding) => {
  const text = `\u{feff}url\ttitle\r\nhttps://${encoding}.example/1\t日本語\r\nnone\t🎈\r\n`;
  const bytes = Buffer.from(text, 'utf16le');
  await shorty.write('utf16.csv', encoding === 'utf-16be' ? bytes.swap16() : bytes);
  await rm(shorty.path('utf16-bad.csv'), { force: true });
  const args = ['urls', 'bulk-create', 'utf16.csv', '--failed-out', 'utf16-bad.csv'];
  const { code, stderr } = await shorty.run(args);
  expect(code).toBe(3);
  expect(stderr).toContain(`as ${encoding}`);
  expect(stderr).toContain('separated by a tab');
  expect(await linksTo(`https://${encoding}.example/`)).toMatchObject([{ title: '日本語' }]);
  // Spreadsheets need the byte order mark to detect UTF-8.
  expect(await shorty.read('utf16-bad.csv')).toMatch(
    /^\u{feff}url\ttitle\terror\r\nnone\t🎈\t"targetUrl .*"\r\n$/u,
  );
});

test('a repeated import creates no link twice, and says so', async () => {
  await shorty.write('twice.csv', 'url\nhttps://twice.example/1\n');
  const args = ['urls', 'bulk-create', 'twice.csv', '--out', 'twice-made.csv'];
  await shorty.run(args);
  const made = await shorty.read('twice-made.csv');
  await shorty.exits(0, 'an earlier run has imported this file', args);
  expect(await linksTo('https://twice.example/')).toHaveLength(1);
  // A second import of the file has other links.
  expect((await shorty.run([...args, '--no-resume'])).code).toBe(2);
  expect(await shorty.read('twice-made.csv')).toBe(made);
  // A refused run changes nothing, and another key continues the import of its organization.
  await shorty.exits(0, 'an earlier run has imported this file', args);
  const { key } = await server.client.apiKeys.create({ name: 'another' });
  const env = { SHORTY_API_KEY: key };
  await shorty.exits(0, 'an earlier run has imported this file', args, { env });
  expect(await linksTo('https://twice.example/')).toHaveLength(1);
  await shorty.run('urls bulk-create twice.csv --no-resume');
  expect(await linksTo('https://twice.example/')).toHaveLength(2);
});

test('only the owner can read the state folder and its files', async () => {
  const env = { SHORTY_STATE_DIR: shorty.path('state') };
  await shorty.run('urls bulk-create -', { input: 'url\nhttps://state.example/\n', env });
  expect(await shorty.mode('state')).toBe('700');
  const [journal = '', ...rest] = await shorty.files('state/imports');
  expect([journal.endsWith('.ndjson'), rest]).toEqual([true, []]);
  expect(await shorty.mode(`state/imports/${journal}`)).toBe('600');
  expect(await shorty.read(`state/imports/${journal}`)).not.toContain(server.clientSecret);
});

test('a token without the scope stops the import with 4, and it can be resumed', async () => {
  await shorty.write('scope.csv', 'url\nhttps://scope.example/1\n');
  const env = { SHORTY_ACCESS_TOKEN: await server.token('urls:read') };
  await shorty.exits(4, 'stopped after 0 rows', 'urls bulk-create scope.csv', { env });
  env.SHORTY_ACCESS_TOKEN = await server.token('urls:write');
  await shorty.exits(0, '', 'urls bulk-create scope.csv --resume', { env });
});

test('spreadsheets in other languages are read as they are', async () => {
  const rows = [
    'url;tags;active;expiresAt',
    'sheet.example/1;spring, summer;WAHR;31.12.2098',
    'https://sheet.example/2;a, b|;FALSCH;12/31/2098',
    'https://sheet.example/3;;VRAI;2098-12-31 10:00',
  ];
  await shorty.write('sheet.csv', rows.join('\n'));
  const args = ['urls', 'bulk-create', 'sheet.csv', '--time-zone', 'Europe/Berlin'];
  const refused = await shorty.run([...args, '--dry-run']);
  expect(refused.stderr).toContain('line 3: expiresAt is "12/31/2098": --dates dmy or --dates mdy');
  expect(refused.stderr).toContain(
    '--add-scheme reads targets without a scheme, such as "sheet.example/1", as https://sheet.example/1\n',
  );
  const more = ['--dates', 'mdy', '--add-scheme', '--excel', '--out', 'sheet-made.csv'];
  await shorty.exits(0, '31.12.2098 ends at 2098-12-31 22:59 UTC, and other dates', [
    ...args,
    ...more,
  ]);
  const end = '2098-12-31T22:59:59.000Z';
  expect(await linksTo('https://sheet.example/')).toMatchObject([
    { tags: ['spring', 'summer'], isActive: true, expiresAt: end },
    { tags: ['a, b'], isActive: false, expiresAt: end },
    { tags: [], isActive: true, expiresAt: '2098-12-31T09:00:00.000Z' },
  ]);
  expect(await shorty.read('sheet-made.csv')).toMatch(/^\ufeffline,/);
});

test('--excel begins every CSV with a byte order mark, and is refused beside other formats', async () => {
  for (const line of ['urls list -o csv', 'urls export', 'analytics report -o csv']) {
    expect((await shorty.run(`${line} --excel`)).stdout).toMatch(/^\ufeff/);
  }
  for (const line of ['urls list', 'urls export --json', 'analytics report']) {
    await shorty.exits(2, '--excel: this output is not CSV', `${line} --excel`);
  }
});

test('a sep= line names the delimiter, and line numbers count it', async () => {
  await shorty.write('sep.csv', 'sep=;\r\nurl;slug\r\nhttps://sep.example/1;sep-1\r\nno;sep-2\r\n');
  await shorty.exits(3, 'line 4: targetUrl is "no": it must start', 'urls bulk-create sep.csv');
  expect(await linksTo('https://sep.example/')).toMatchObject([{ customSlug: 'sep-1', tags: [] }]);
});

test('the columns of another shortener are recognised; its short URL is never the target', async () => {
  await shorty.write(
    'other.csv',
    'Short URL,Long URL\nhttps://s.example/x,https://long.example/1\n',
  );
  const skipped = 'skipping columns that only the server sets: Short URL\n';
  await shorty.exits(0, skipped, 'urls bulk-create other.csv');
  expect(await linksTo('https://long.example/')).toHaveLength(1);
});

test('--skip-existing skips rows whose slug exists', async () => {
  await shorty.write('first.csv', 'url,slug\nhttps://skip.example/1,skip-1\n');
  await shorty.run('urls bulk-create first.csv');
  const rows = 'url,slug\nhttps://skip.example/1,skip-1\nhttps://skip.example/2,skip-2\n';
  await shorty.write('both.csv', rows);
  const refused = await shorty.run('urls bulk-create first.csv --no-resume');
  expect(refused.stderr).toContain(
    'taken: the code of 1 row exists already; --skip-existing skips such rows',
  );
  const args = ['urls', 'bulk-create', 'both.csv', '--skip-existing', '--failed-out', 'none.csv'];
  const { code, stdout, stderr } = await shorty.run(args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('2 rows: 1 created, 1 skipped, 0 failed');
  expect(await shorty.read('none.csv')).toBe('url,slug,error\n');
});
