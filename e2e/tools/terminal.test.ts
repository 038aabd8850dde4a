import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shorty } from '@shorty/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { displayWidth } from '../../packages/cli/src/text-width.js';
import { everyCommand } from '../../packages/cli/test/every-command.js';
import { connect } from '../lib/api.js';
import { credentials, freePort, scratchFolder, startServer } from '../lib/processes.js';
import { installShorty, shellsFolder, Terminal } from '../lib/terminal.js';

const operatorKey = 'operator-key-of-the-tests-0123456789';

/** Opens a terminal with bash, in which `shorty` is signed in to a new server. */
async function openTerminal(columns: number) {
  const folder = scratchFolder();
  const environment = { SHORTY_OPERATOR_KEY: operatorKey };
  const server = await startServer({ port: await freePort(), folder, environment });
  // Ends the server before its folder is removed.
  onTestFinished(() => server.kill());
  const terminal = new Terminal({
    command: `${join(shellsFolder(), 'bash')} --norc --noprofile -i`,
    cwd: folder,
    columns,
    env: {
      ...credentials,
      ...environment,
      HOME: folder,
      PATH: installShorty(folder),
      PS1: '> ',
      SHORTY_BASE_URL: server.origin,
    },
  });
  const operator = new Shorty({ baseUrl: server.origin, accessToken: operatorKey });
  return { folder, terminal, client: connect(server.origin), operator };
}

test('the progress of an import survives a resize, Ctrl-Z and fg', async () => {
  const { folder, terminal, client } = await openTerminal(100);
  const count = 60_000;
  const rows = Array.from({ length: count }, (_, index) => `https://example.com/${index}`);
  writeFileSync(join(folder, 'links.csv'), `url\n${rows.join('\n')}\n`);
  terminal.type('clear; shorty urls bulk-create links.csv --concurrency 1\n');
  await terminal.untilShows(/━+─+ \d+% {2}[\d,]+ rows {2}[\d,]+\/s/);
  terminal.resize(40, 30);
  const narrow = await terminal.untilShows(/^\d+% {2}[\d,]+ rows/m);
  expect(narrow).not.toContain('━');
  terminal.press('C-z');
  await terminal.untilShows(/Stopped/);
  // The quotes keep the typed line from matching. A resize reaches only a process in the foreground.
  terminal.type('clear; echo re"sumed"; fg\n');
  await terminal.untilShows(/^resumed\n(?:.*\n)*\d+% {2}[\d,]+ rows/m);
  terminal.resize(100, 30);
  const resumed = await terminal.untilShows(/━+─* \d+% {2}[\d,]+ rows {2}[\d,]+\/s/);
  expect(resumed.match(/%/g)).toHaveLength(1);
  await terminal.untilShows(/60,000 rows: 60,000 created, 0 failed/);
  expect(terminal.screen()).not.toContain('%');
  expect((await client.urls.list({ limit: 1 })).total).toBe(count);
});

test('browse finds a link, shows its clicks, pauses it and leaves the screen as it was', async () => {
  const { terminal, client } = await openTerminal(90);
  const link = await client.urls.create({
    targetUrl: 'https://example.com/tokyo',
    customSlug: 'tokyo',
    title: '東京の春 🎈',
  });
  await client.urls.create({ targetUrl: 'https://example.com/other', customSlug: 'other' });
  terminal.type('clear; echo be"fo"re; shorty browse; echo code $?\n');
  await terminal.untilShows(/2 links/);
  terminal.type('tok');
  await terminal.untilShows(/Search: tok▏\n1 link\n› \S+\/tokyo/);
  terminal.press('Enter');
  await terminal.untilShows(
    /\/tokyo {2}東京の春 🎈\n→ https:\/\/example\.com\/tokyo\nactive {3}0 clicks/,
  );
  terminal.type('p');
  await terminal.untilShows(/^inactive/m);
  expect((await client.urls.get(link.id)).isActive).toBe(false);
  terminal.press('Escape');
  await terminal.untilShows(/Search: tok/);
  terminal.press('Escape');
  await terminal.untilShows(/before\ncode 0/);
  terminal.type('clear; shorty browse tok; echo code $?\n');
  await terminal.untilShows(/1 link/);
  terminal.press('C-c');
  await terminal.untilShows(/code 130/);
});

test('browse has whole short URLs, facts and keys on 40 columns', async () => {
  const { terminal, client } = await openTerminal(40);
  const { shortUrl } = await client.urls.create({
    targetUrl: `https://example.com/${'path/'.repeat(20)}`,
    customSlug: 'tokyo-1',
  });
  terminal.type('clear; shorty browse\n');
  const list = await terminal.untilShows(/1 link/);
  expect(list).toContain(`› ${shortUrl.replace('http://', '')}  https://`);
  terminal.press('Enter');
  const screen = await terminal.untilShows(/esc back/);
  expect(screen).toMatch(/^active {3}0 clicks in total\ncreated \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
  expect(screen).toMatch(/^o open {3}c copy {3}r QR code\np pause or resume {3}esc back$/m);
});

// packages/cli/test/widths.test.ts checks more widths without a real terminal.
test('every command fits 40 columns', async () => {
  const columns = 40;
  const { folder, terminal, client, operator } = await openTerminal(columns);
  const lines = await everyCommand(client, operator, join(folder, 'files'));
  const quote = (arg: string) => `'${arg}'`;
  const script = lines.map(({ args }) => `echo '== '; shorty ${args.map(quote).join(' ')}`);
  writeFileSync(join(folder, 'all.sh'), `${script.join('\n')}\n`);
  terminal.type('clear; . ./all.sh; echo do"ne"\n');
  await terminal.untilShows(/^done$/m);
  const printed = terminal.lines();
  expect(printed.filter((line) => line === '==')).toHaveLength(lines.length);
  // The terminal breaks single words, such as URLs, and commands, which users copy.
  const isWhole = (line: string) => /^ *([^ ]+|shorty .*|\. \.\/all\.sh.*)$/.test(line);
  expect(printed.filter((line) => displayWidth(line) > columns && !isWhole(line))).toEqual([]);
  expect(printed.join('\n')).not.toContain('\u{fffd}');
});
