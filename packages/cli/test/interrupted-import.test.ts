import { beforeEach, expect, test } from 'vitest';
import { expectEnd, type RunResult } from './built-shorty.js';
import { FaultyFetch } from './faulty-fetch.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const rowCount = 1050;

let faults: FaultyFetch;
let imports = 0;

const { server, shorty } = await startSignedInShorty();

beforeEach(() => {
  faults = new FaultyFetch();
});

/** Writes a file with unique targets. Every hundredth row is invalid. */
async function writeRows(): Promise<{ file: string; host: string; content: string }> {
  const host = `import-${++imports}.example`;
  const rows = Array.from({ length: rowCount }, (_, index) =>
    index % 100 === 50 ? `broken ${index}` : `https://${host}/${index}`,
  );
  const content = `url\n${rows.join('\n')}\n`;
  await shorty.write(`${host}.csv`, content);
  return { file: `${host}.csv`, host, content };
}

async function countOf(host: string): Promise<{ made: number; different: number }> {
  const targets: string[] = [];
  for await (const { targetUrl } of server.client.urls.list({ search: host })) {
    targets.push(targetUrl);
  }
  return { made: targets.length, different: new Set(targets).size };
}

const everyRow = { made: rowCount - 10, different: rowCount - 10 };

function bulkCreate(file: string, ...args: string[]): Promise<RunResult> {
  return shorty.run(['urls', 'bulk-create', file, ...args], { fetch: faults.fetch });
}

async function interrupt(file: string, ...args: string[]): Promise<RunResult> {
  const interruption = new AbortController();
  const { fetch, held } = faults;
  const command = ['urls', 'bulk-create', file, ...args];
  const importing = shorty.run(command, { fetch, interrupt: interruption.signal });
  await held;
  interruption.abort();
  const interrupted = await importing;
  faults.decide = () => 'pass';
  return interrupted;
}

test('Ctrl-C exits with 130, and the same command creates the rest exactly once', async () => {
  const { file, host, content } = await writeRows();
  faults.decide = (index) => (index < 5 ? 'pass' : 'hold');
  const outputs = ['--out', 'part-made.csv', '--failed-out', 'part-bad.csv'];
  const first = await interrupt(file, ...outputs);
  expect([first.code, first.stdout]).toEqual([130, '']);
  expect(first.stderr).toMatch(
    /shorty: stopped after \d+ rows \(\d+ created, \d+ failed\); run the same command again to resume\nshorty: interrupted\n$/,
  );
  const second = await bulkCreate(file, ...outputs);
  expect(second.code).toBe(3);
  expect(second.stderr).toContain('continuing the import that started on ');
  expect(second.stdout).toMatch(
    /^1,050 rows(, \d+ of them earlier)?: 1,040 created, 10 failed in /,
  );
  expect(await countOf(host)).toEqual(everyRow);
  const made = (await shorty.read('part-made.csv')).trimEnd().split('\n');
  expect(made.map((line) => line.split(',')[1]).slice(1)).toEqual(
    Array.from({ length: rowCount }, (_, index) => `${index}`).filter(
      (index) => Number(index) % 100 !== 50,
    ),
  );
  const broken = content.split('\n').filter((row) => row === 'url' || row.startsWith('broken'));
  const bad = (await shorty.read('part-bad.csv')).trimEnd().split('\n');
  expect(bad.map((line) => line.split(',', 1)[0])).toEqual(broken);
  // A dry run never replaces the rows of an import.
  const dry = await bulkCreate(file, '--dry-run', '--failed-out', 'part-bad.csv');
  expect(dry.code).toBe(2);
  // A repetition adds no rows.
  await bulkCreate(file, ...outputs);
  expect((await shorty.read('part-made.csv')).trimEnd().split('\n')).toEqual(made);
  expect((await shorty.read('part-bad.csv')).trimEnd().split('\n')).toEqual(bad);
});

test('files that a kill has cut off are completed, and those of dry runs replaced', async () => {
  const { file } = await writeRows();
  const outputs = ['--out', 'cut-made.csv', '--failed-out', 'cut-bad.csv'];
  for (const _ of ['first', 'second']) {
    await bulkCreate(file, '--dry-run', '--failed-out', 'cut-bad.csv');
  }
  expect((await shorty.read('cut-bad.csv')).trimEnd().split('\n')).toHaveLength(11);
  await bulkCreate(file, ...outputs);
  const whole = await Promise.all(['cut-made.csv', 'cut-bad.csv'].map((name) => shorty.read(name)));
  expect(whole[1]?.trimEnd().split('\n')).toHaveLength(11);
  // The last chunk was written, but its end is missing, and that it was done.
  const folder = '.local/state/shorty/imports';
  for (const name of await shorty.files(folder)) {
    const lines = (await shorty.read(`${folder}/${name}`)).trimEnd().split('\n');
    if (!lines.some((line) => line.includes('cut-made.csv'))) continue;
    await shorty.write(`${folder}/${name}`, `${lines.slice(0, -1).join('\n')}\n`);
  }
  await shorty.write('cut-made.csv', whole[0]?.slice(0, -30) ?? '');
  await bulkCreate(file, ...outputs);
  expect(
    await Promise.all(['cut-made.csv', 'cut-bad.csv'].map((name) => shorty.read(name))),
  ).toEqual(whole);
});

test('an output file never loses what this import did not write, nor rows of a finished chunk', async () => {
  const { file } = await writeRows();
  const outputs = ['--out', 'own-made.csv', '--failed-out', 'own-bad.csv'];
  // A refused file does not spoil the other one.
  await shorty.write('mine.csv', 'mine\n');
  const foreign = [...outputs.slice(0, 3), 'mine.csv'];
  expectEnd(await bulkCreate(file, ...foreign), 2, 'mine.csv exists, and is not of this import');
  // Of two runs at once, the file has the rows of one.
  const runs = await Promise.all([bulkCreate(file, ...outputs), bulkCreate(file, ...outputs)]);
  runs.sort((a, b) => Number(a.code) - Number(b.code));
  expect(runs.map(({ code }) => code)).toEqual([1, 3]);
  expect(runs[0]?.stderr).toContain('another run has written to own-made.csv meanwhile\n');
  const whole = await shorty.read('own-made.csv');
  const lines = whole.trimEnd().split('\n');
  expect([lines.length, new Set(lines).size]).toEqual([1 + everyRow.made, 1 + everyRow.made]);
  await bulkCreate(file, ...outputs);
  expect(await shorty.read('own-made.csv')).toBe(whole);
  for (const name of ['own-made.csv', 'own-bad.csv']) {
    const longer = `${await shorty.read(name)}a note\n`;
    await shorty.write(name, longer);
    const refused = await bulkCreate(file, ...outputs);
    expectEnd(refused, 2, `${name} has content that this import did not write`);
    expect(await shorty.read(name)).toBe(longer);
    await shorty.write(name, longer.replace('a note\n', ''));
  }
});

test('a request whose response is lost is retried with the same key', async () => {
  const { file, host } = await writeRows();
  faults.decide = (index) => (index % 3 === 1 ? 'lose response' : 'pass');
  const { code, stderr } = await bulkCreate(file, '--concurrency', '2');
  expect(code).toBe(3);
  expect(stderr).toContain('no response from the server');
  expect(stderr).toContain('retrying for up to 10 min');
  expect(await countOf(host)).toEqual(everyRow);
  const chunks = Math.ceil(rowCount / 100);
  expect(faults.keys.length).toBeGreaterThan(chunks);
  expect(new Set(faults.keys).size).toBe(chunks);
});

test('an import stops when the server is away for long, and can be resumed', async () => {
  const { file, host } = await writeRows();
  faults.decide = (index) => (index < 3 ? 'pass' : 'away');
  const first = await bulkCreate(file, '--concurrency', '1');
  expect([first.code, first.stdout]).toEqual([1, '']);
  expect(first.stderr).toContain('stopped after 300 rows (297 created, 3 failed)');
  faults.decide = () => 'pass';
  const second = await bulkCreate(file, '--resume');
  expectEnd(second, 3, 'continuing the import that started on ');
  expect(await countOf(host)).toEqual(everyRow);
});

test('an import with --no-resume can be interrupted and resumed', async () => {
  const { file, host } = await writeRows();
  await bulkCreate(file);
  const before = faults.keys.length;
  faults.decide = (index) => (index < before + 4 ? 'pass' : 'hold');
  const first = await interrupt(file, '--no-resume');
  expect(first.stderr).toContain('run it again without --no-resume to resume');
  await bulkCreate(file, '--resume');
  const twice = { made: 2 * everyRow.made, different: everyRow.different };
  expect(await countOf(host)).toEqual(twice);
});

test('two runs of one file at once create each row once', async () => {
  const { file, host } = await writeRows();
  const codes = await Promise.all([bulkCreate(file), bulkCreate(file)]);
  expect(codes.map(({ code }) => code)).toEqual([3, 3]);
  expect(await countOf(host)).toEqual(everyRow);
  const { stdout } = await bulkCreate(file);
  expect(stdout).toMatch(/^1,050 rows, 1,050 of them earlier: 1,040 created, 10 failed in /);
});

async function editProgress(edit: (lines: string) => string): Promise<void> {
  const folder = '.local/state/shorty/imports';
  for (const name of await shorty.files(folder)) {
    await shorty.write(`${folder}/${name}`, edit(await shorty.read(`${folder}/${name}`)));
  }
}

/** Makes the recorded progress a day older. */
async function letADayPass(): Promise<void> {
  const dayMs = 24 * 60 * 60 * 1000;
  await editProgress((lines) =>
    lines.replaceAll(/"(startedAt|at)":(\d+)/g, (_, key, at) => `"${key}":${Number(at) - dayMs}`),
  );
}

test('a day later, finished chunks are skipped, and --resend sends what may have arrived', async () => {
  const { file, host } = await writeRows();
  faults.decide = (index) => (index < 3 ? 'pass' : 'hold');
  await interrupt(file, '--concurrency', '1', '--out', 'later.csv');
  await letADayPass();
  const sent = faults.keys.length;
  const second = await bulkCreate(file, '--out', 'later.csv');
  expect(second.stderr).toContain('lines 302 to 401 may have arrived\n');
  expect(second.stdout).toMatch(/^950 rows, 300 of them earlier: 941 created, 9 failed in /);
  expect(second.code).toBe(3);
  expect(faults.keys.length - sent).toBe(7);
  const third = await bulkCreate(file, '--resend', '--out', 'later.csv');
  expect(third.stdout).toMatch(/^1,050 rows, 950 of them earlier: 1,040 created, 10 failed in /);
  expect(await countOf(host)).toEqual(everyRow);
  const made = (await shorty.read('later.csv')).trimEnd().split('\n');
  expect(made).toHaveLength(1 + everyRow.made);
});

test('what follows a line that a full disk has truncated is recorded', async () => {
  const { file } = await writeRows();
  faults.decide = (index) => (index < 3 ? 'pass' : 'hold');
  await interrupt(file, '--concurrency', '1');
  await editProgress((lines) => lines.trimEnd().slice(0, -9));
  faults.decide = () => 'away';
  await bulkCreate(file, '--concurrency', '1');
  await letADayPass();
  faults.decide = () => 'pass';
  expect((await bulkCreate(file)).stderr).toContain('lines 302 to 401 may have arrived\n');
});
