import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.js';
import { BuiltShorty, type RunResult } from './built-shorty.js';
import { type Gate, openGate } from './gate.js';

const rowCount = 1050;

let server: ApiServer;
let shorty: BuiltShorty;
let gate: Gate;
let imports = 0;

beforeAll(async () => {
  server = await startApiServer();
  shorty = await BuiltShorty.build(server.env);
});

afterAll(async () => {
  await shorty.remove();
  await server.stop();
});

beforeEach(async () => {
  gate = await openGate(server.url);
});

afterEach(() => gate.stop());

/** A file whose targets nobody else has; every hundredth row cannot be a link. */
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
  return shorty.run(['urls', 'bulk-create', file, '--base-url', gate.url, ...args]);
}

async function interrupt(file: string, ...args: string[]): Promise<RunResult> {
  const { process, result } = shorty.start([
    ...['urls', 'bulk-create', file, '--base-url', gate.url, ...args],
  ]);
  await gate.held;
  process.kill('SIGINT');
  const interrupted = await result;
  gate.decide = () => 'pass';
  return interrupted;
}

test('Ctrl-C ends with 130 and says how to go on; the same command makes the rest once', async () => {
  const { file, host, content } = await writeRows();
  gate.decide = (index) => (index < 5 ? 'pass' : 'hold');
  const outputs = ['--out', 'part-made.csv', '--failed-out', 'part-bad.csv'];
  const first = await interrupt(file, ...outputs);
  expect([first.code, first.stdout]).toEqual([130, '']);
  expect(first.stderr).toMatch(
    /shorty: stopped after \d+ rows \(\d+ created, \d+ failed\); run the same command again to go on\nshorty: interrupted\n$/,
  );
  const second = await bulkCreate(file, ...outputs);
  expect(second.code).toBe(3);
  expect(second.stderr).toMatch(/going on after \d+ rows of an interrupted import\n/);
  expect(second.stdout).toMatch(/^1,050 rows, \d+ of them before: 1,040 created, 10 failed in /);
  expect(await countOf(host)).toEqual(everyRow);
  const made = (await shorty.read('part-made.csv')).trimEnd().split('\n');
  expect(made.map((line) => line.split(',')[1]).slice(1)).toEqual(
    Array.from({ length: rowCount }, (_, index) => `${index}`).filter(
      (index) => Number(index) % 100 !== 50,
    ),
  );
  const broken = content.split('\n').filter((row) => row === 'url' || row.startsWith('broken'));
  expect(await shorty.read('part-bad.csv')).toBe(`${broken.join('\n')}\n`);
});

test('output files that are gone are written anew, and nothing is made twice', async () => {
  const { file, host } = await writeRows();
  gate.decide = (index) => (index < 5 ? 'pass' : 'hold');
  await interrupt(file, '--out', 'first.csv');
  const { code, stderr } = await bulkCreate(file, '--out', 'second.csv');
  expect([code, stderr]).toEqual([3, expect.stringContaining('the output files have changed')]);
  expect(await countOf(host)).toEqual(everyRow);
  expect((await shorty.read('second.csv')).trimEnd().split('\n')).toHaveLength(1 + everyRow.made);
});

test('an answer that is lost is asked for again under the same key', async () => {
  const { file, host } = await writeRows();
  gate.decide = (index) => (index % 3 === 1 ? 'lose answer' : 'pass');
  const { code, stderr } = await bulkCreate(file, '--concurrency', '2');
  expect(code).toBe(3);
  expect(stderr).toContain('the server does not answer');
  expect(stderr).toContain('retrying for 10 min');
  expect(stderr).toContain('the server answers again');
  expect(await countOf(host)).toEqual(everyRow);
  const chunks = Math.ceil(rowCount / 100);
  expect(gate.keys.length).toBeGreaterThan(chunks);
  expect(new Set(gate.keys).size).toBe(chunks);
});

test('a server that stays away ends the import after --retry-for; it goes on later', async () => {
  const { file, host } = await writeRows();
  gate.decide = (index) => (index < 3 ? 'pass' : 'unavailable');
  const first = await bulkCreate(file, '--retry-for', '1', '--concurrency', '1');
  expect([first.code, first.stdout]).toEqual([1, '']);
  expect(first.stderr).toContain('stopped after 300 rows (297 created, 3 failed)');
  gate.decide = () => 'pass';
  const second = await bulkCreate(file, '--resume');
  expect([second.code, second.stderr]).toEqual([
    3,
    expect.stringContaining('going on after 300 rows'),
  ]);
  expect(await countOf(host)).toEqual(everyRow);
});

test('an import made anew on purpose can be interrupted and resumed, too', async () => {
  const { file, host } = await writeRows();
  await bulkCreate(file);
  const before = gate.keys.length;
  gate.decide = (index) => (index < before + 4 ? 'pass' : 'hold');
  const first = await interrupt(file, '--no-resume');
  expect(first.stderr).toContain('run it again without --no-resume to go on');
  await bulkCreate(file, '--resume');
  const twice = { made: 2 * everyRow.made, different: everyRow.different };
  expect(await countOf(host)).toEqual(twice);
});

test('kill -9 at any moment costs nothing but time', async () => {
  const { file, host } = await writeRows();
  gate.decide = (index) => (index < 6 ? 'pass' : 'hold');
  const { process, result } = shorty.start([
    ...['urls', 'bulk-create', file, '--base-url', gate.url, '--out', 'killed.csv'],
  ]);
  await gate.held;
  process.kill('SIGKILL');
  await result;
  gate.decide = () => 'pass';
  expect((await bulkCreate(file, '--out', 'killed.csv')).code).toBe(3);
  expect(await countOf(host)).toEqual(everyRow);
  expect((await shorty.read('killed.csv')).trimEnd().split('\n')).toHaveLength(1 + everyRow.made);
});

test('two imports of one file at once: the second one gives way', async () => {
  const { file, host } = await writeRows();
  gate.decide = () => 'hold';
  const { process, result } = shorty.start([
    ...['urls', 'bulk-create', file, '--base-url', gate.url],
  ]);
  await gate.held;
  const second = await bulkCreate(file);
  expect([second.code, second.stderr]).toEqual([
    1,
    expect.stringContaining(`this file is being imported by process ${process.pid} now`),
  ]);
  process.kill('SIGINT');
  await result;
  gate.decide = () => 'pass';
  await bulkCreate(file);
  expect(await countOf(host)).toEqual(everyRow);
});
