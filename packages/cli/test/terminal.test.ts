import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { main } from '../src/main.js';
import { startApiServer } from './api-server.js';
import { type FakeIo, fakeIo } from './fake-io.js';
import { FaultyFetch } from './faulty-fetch.js';

const server = await startApiServer();
let folder: string;

afterAll(() => server.stop());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shorty-terminal-'));
});

afterEach(() => rm(folder, { recursive: true }));

/** Returns an Io with a terminal. */
function terminalIo(
  env: Readonly<Record<string, string>> = {},
  fetch: typeof globalThis.fetch = globalThis.fetch,
): FakeIo {
  return fakeIo({ isTerminal: true, env, homeDirectory: folder, fetch, now: Date.now });
}

/** Resolves when the stream contains the text. */
async function untilPrinted(
  io: FakeIo,
  text: string,
  stream: 'stdout' | 'stderr' = 'stderr',
): Promise<void> {
  while (!io.text[stream].includes(text)) {
    await new Promise((resolve) => io[stream].once('data', resolve));
  }
}

test('login prompts for missing settings and does not echo the secret', async () => {
  const io = terminalIo();
  const code = main(['login'], io);
  await untilPrinted(io, 'Server [http://localhost:3000]: ');
  io.stdin.write(`  ${server.url} \n`);
  await untilPrinted(io, `signing in to ${server.url} (profile default)\n`);
  await untilPrinted(io, 'API key (not shown): ');
  const { key } = await server.client.apiKeys.create({ name: 'laptop' });
  io.stdin.write(`${key}\r`);
  expect(await code).toBe(0);
  expect(io.text.stdout).toBe('');
  expect(io.text.stderr).not.toContain(key);
  const stored = JSON.parse(await readFile(join(folder, '.config/shorty/config.json'), 'utf8'));
  expect(stored.profiles.default).toEqual({ baseUrl: server.url, apiKey: key });
  // Client credentials replace the key.
  const again = terminalIo();
  const second = main(['login', '--client-id', server.clientId], again);
  await untilPrinted(again, `secret of ${server.clientId} (not shown): `);
  again.stdin.write('\u0003');
  expect(await second).toBe(130);
});

describe('questions', () => {
  test('login and create offer a scheme', async () => {
    const host = server.url.replace('http://', '');
    const login = terminalIo({ SHORTY_CLIENT_SECRET: server.clientSecret });
    const signedIn = main(['login', host, '--client-id', server.clientId], login);
    await untilPrinted(login, `${host} has no scheme. Use ${server.url}? [Y/n] `);
    login.stdin.write('\n');
    expect(await signedIn).toBe(0);
    expect(login.text.stderr).toContain(`signed in to ${server.url}`);

    const create = terminalIo();
    const created = main(['urls', 'create', 'example.com/asked'], create);
    await untilPrinted(create, 'Use https://example.com/asked? [Y/n] ');
    create.stdin.write('y\n');
    expect(await created).toBe(0);
    expect(create.text.stdout).toContain('https://example.com/asked\n');
  });

  test('a delete asks on a terminal, and --yes answers', async () => {
    const { id } = await server.client.urls.create({ targetUrl: 'https://example.com/kept' });
    const isActive = async () => (await server.client.urls.get(id)).isActive;
    const declined = terminalIo(server.env);
    const first = main(['urls', 'delete', `${id}`], declined);
    await untilPrinted(declined, `Delete 1 link (${id})? [y/N] `);
    declined.stdin.write('\n');
    expect(await first).toBe(1);
    expect(declined.text.stderr).toContain('not confirmed: no link was changed');
    expect(await isActive()).toBe(true);

    expect(await main(['urls', 'delete', `${id}`, '--yes'], terminalIo(server.env))).toBe(0);
    expect(await isActive()).toBe(false);
  });
});

describe('an import', () => {
  async function importRows(io: FakeIo, rows: readonly string[], ...flags: string[]) {
    const file = join(folder, 'links.csv');
    await writeFile(file, `url\n${rows.join('\n')}\n`);
    return main(['urls', 'bulk-create', file, ...flags], io);
  }

  const good = (count: number) =>
    Array.from({ length: count }, (_, index) => `https://terminal.example/${index}`);

  test('shows a live view, and one summary line at the end', async () => {
    const faults = new FaultyFetch();
    const io = terminalIo(server.env, faults.fetch);
    // Lost responses continue until the view has shown the retry.
    let isSilent = true;
    faults.decide = (index) => (index >= 2 && isSilent ? 'lose response' : 'pass');
    const code = importRows(io, good(500), '--concurrency', '1');
    await untilPrinted(io, 'no response from the server (');
    isSilent = false;
    expect(await code).toBe(0);
    const screen = stripVTControlCharacters(io.text.stderr);
    expect(screen).toMatch(/━+─+ \d+% {2}200 of 500 rows {2}[\d,]+\/s/);
    expect(io.text.stdout).toMatch(
      /^500 rows: 500 created, 0 failed in \d+(\.\d)? s \([\d,]+ rows\/s\)\n$/,
    );
  });

  test('groups the failed rows by their reasons', async () => {
    const io = terminalIo(server.env);
    const broken = Array.from({ length: 25 }, (_, index) => `broken ${index}`);
    const reason =
      '25 rows, the first in line 2: targetUrl is …: it must start with http:// or https:// (CREATE_FAILED)';
    expect(await importRows(io, [...broken, ...good(1), 'a,b'])).toBe(3);
    const lines = stripVTControlCharacters(io.text.stderr).split('\n');
    expect(lines.filter((line) => line.includes('line '))).toEqual([
      reason,
      'line 28: the row has 2 of 1 cells (INVALID_ROW)',
    ]);
  });

  test.each([
    ['--quiet', {}, ['--quiet']],
    ['a dumb terminal', { TERM: 'dumb' }, []],
    ['a build server', { CI: 'true' }, []],
    ['rows that scroll by', {}, ['--output', 'ndjson']],
  ])('no live view with %s', async (_, change, flags) => {
    const io = terminalIo({ ...server.env, ...change });
    expect(await importRows(io, good(120), ...flags)).toBe(0);
    expect(io.text.stderr).not.toContain('━');
    expect(io.text.stderr).not.toContain('\u001b');
  });
});

describe('commands that print events', () => {
  test('listen shows the connection and the counts below the events', async () => {
    const faults = new FaultyFetch((path) => path.startsWith('/api/v1/events'));
    let isAway = true;
    // The first two read the position, and the first event.
    faults.decide = (index) => (index >= 2 && isAway ? 'unavailable' : 'pass');
    const io = terminalIo(server.env, faults.fetch);
    // No receiver can have this port.
    const code = main(['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:1/'], io);
    await untilPrinted(io, 'listening  0 events  0 failures  Ctrl-C stops', 'stdout');
    const createUrl = () => server.client.urls.create({ targetUrl: 'https://example.com/' });
    await createUrl();
    await untilPrinted(io, 'no connection, trying again  1 event  1 failure', 'stdout');
    expect(io.text.stdout).toMatch(/url\.created {9}.*FAILED.*\n/);
    expect(io.text.stderr).toContain('\n  bad port\n');
    isAway = false;
    await createUrl();
    await untilPrinted(io, 'listening  2 events  2 failures', 'stdout');
    expect(io.text.stderr).toContain('connected again\n');
    const before = io.text.stdout.length;
    io.interruption.abort();
    expect(await code).toBe(130);
    // The last line is removed, and the cursor is shown again.
    expect(stripVTControlCharacters(io.text.stdout.slice(before)).trim()).toBe('');
    expect(io.text.stdout.endsWith('\u001b[?25h')).toBe(true);
    expect(io.text.stdout.split('url.created')).toHaveLength(3);
  });

  test('tail counts visits and scans', async () => {
    const url = await server.client.urls.create({ targetUrl: 'https://example.com/' });
    await server.client.webhooks.create({
      ...{ url: 'https://receiver.example/', events: ['url.clicked'] },
    });
    const io = terminalIo(server.env);
    const code = main(['analytics', 'tail'], io);
    await untilPrinted(io, 'listening  0 visits  0 scans', 'stdout');
    const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
    await fetch(url.shortUrl, { redirect: 'manual', headers: { 'user-agent': browser } });
    await untilPrinted(io, 'listening  1 visit  0 scans', 'stdout');
    expect(io.text.stdout).toMatch(/\d\d:\d\d:\d\d {2}click {2}/);
    io.interruption.abort();
    expect(await code).toBe(130);
  });

  test.each([
    ['--quiet', {}, ['--quiet']],
    ['a dumb terminal', { TERM: 'dumb' }, []],
    ['JSON', {}, ['--json']],
  ])('no live view with %s', async (_, change, flags) => {
    const io = terminalIo({ ...server.env, ...change });
    const code = main(['webhooks', 'listen', ...flags], io);
    // Until the command has read where events begin.
    const printed = expect.poll(async () => {
      await server.client.urls.create({ targetUrl: 'https://example.com/' });
      return io.text.stdout;
    });
    await printed.toContain('url.created');
    io.interruption.abort();
    expect(await code).toBe(130);
    expect(io.text.stdout).not.toContain('listening');
    expect(io.text.stdout).not.toContain('\u001b[?');
  });
});
