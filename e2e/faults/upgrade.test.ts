import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Shorty } from '@shorty/sdk';
import { expect, onTestFinished, test } from 'vitest';
import {
  command,
  expectNoErrorsOfDoctor,
} from '../../packages/server/test/operator/server-process.js';
import { poll } from '../../packages/server/test/poll.js';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import {
  copyToPostgres,
  migrationsIn,
  readReleased,
  releasedVersions,
  writeReleased,
} from '../../packages/server/test/storage/released-database.js';
import { freePort, scratchFolder, startServer } from '../lib/processes.js';
import { followLinks } from '../lib/visitors.js';

const previous = releasedVersions.at(-1) as string;
const { credentials } = readReleased(previous);
// What `responses` of the file has: the links, and the clicks of the link that is visited.
const linksBefore = 3;
const clicksBefore = 1;
const path = '/spring-sale';
const minVisits = 400;
const createdPerNode = 20;
// The files have no key of their visitors.
const environment = { SHORTY_SECRET_KEY: 'the-secret-key-of-this-installation' };

/** Writes visits as the journal of version 0.1.0 has them: it was killed before it stored them. */
function writeJournal(folder: string, visits: number): void {
  const writer = join(folder, '01a20187-0000-7000-8000-000000000001');
  mkdirSync(writer, { recursive: true });
  const line = `1\t1\t${Date.now()}\t0\thuman\tbrowser\tDE\tmobile\tFirefox\tAndroid\t(direct)\tdirect\t\t00000000000000bb\t\t0\n`;
  writeFileSync(join(writer, '0000000001.log'), line.repeat(visits));
}

const connect = (baseUrl: string) => new Shorty({ baseUrl, ...credentials });

/** Creates links one after the other, and returns their number. */
async function createLinks(origin: string): Promise<number> {
  const shorty = connect(origin);
  for (let at = 0; at < createdPerNode; at += 1) {
    await shorty.urls.create({ targetUrl: `https://example.com/new/${at}` });
  }
  return createdPerNode;
}

async function figuresOf(origin: string) {
  const shorty = connect(origin);
  const { clickCount } = await shorty.urls.get('1');
  return { clicks: clickCount, links: (await shorty.urls.list({ limit: 1 })).total };
}

/** Ends the visits when each of them got a redirect, and enough were made. Returns their number. */
async function endVisits(visitors: ReturnType<typeof followLinks>): Promise<number> {
  await poll(
    'the visits',
    async () => visitors.answered(),
    (visits) => visits >= minVisits,
  );
  await visitors.end();
  expect({ cutOff: visitors.cutOff(), unexpected: visitors.unexpected() }).toEqual({
    cutOff: 0,
    unexpected: [],
  });
  return visitors.answered();
}

test('a SQLite file of the previous release is upgraded under load, and its backup is the way back', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'shorty.db');
  const backup = join(scratchFolder(), 'before-upgrade.db');
  const settings = { ...environment, SHORTY_DATABASE_URL: `file:${file}` };
  writeReleased(previous, file);
  copyFileSync(file, backup);
  writeJournal(`${file}.visits`, 5);

  const port = await freePort();
  // Visitors come before the server listens, and while it migrates.
  const visitors = followLinks([[`http://localhost:${port}${path}`]]);
  const upgraded = await startServer({ port, folder, environment });
  const created = await createLinks(upgraded.origin);
  const visits = await endVisits(visitors);
  expect(await upgraded.stop()).toBe(0);
  await expectNoErrorsOfDoctor(settings);
  const again = await startServer({ port, folder, environment });
  expect(await figuresOf(again.origin)).toEqual({
    clicks: clicksBefore + 5 + visits,
    links: linksBefore + created,
  });
  expect(await again.stop()).toBe(0);

  const failed = join(folder, 'failed-upgrade');
  mkdirSync(failed);
  for (const name of readdirSync(folder).filter((each) => each.startsWith('shorty.db'))) {
    renameSync(join(folder, name), join(failed, name));
  }
  expect(await command(settings, 'restore', backup)).toMatchObject({ code: 0, stderr: '' });
  // The previous version refuses a database with later migrations.
  expect(migrationsIn(file)).toEqual(migrationsIn(backup));
  const restored = await startServer({ port, folder, environment });
  expect(await figuresOf(restored.origin)).toEqual({ clicks: clicksBefore, links: linksBefore });
});

test('two nodes upgrade a PostgreSQL database of the previous release, one after the other, under load', async () => {
  const sockets = scratchFolder();
  // PostgreSQL runs as another user.
  chmodSync(sockets, 0o777);
  const postgres = await startPostgres(['-c', `unix_socket_directories=${sockets}`]);
  onTestFinished(() => postgres.stop());
  // The statements of the tables are those of this version.
  expect(previous).toBe('0.1.0');
  const file = join(scratchFolder(), 'shorty.db');
  writeReleased(previous, file);
  await postgres.createDatabase('previous');
  await copyToPostgres(file, postgres.urlOf('previous'));
  const ports = [await freePort(), await freePort()] as const;
  const databaseUrl = postgres.urlOf('previous');
  const { username, password, port } = new URL(databaseUrl);
  const overSocket = `postgres://${username}:${password}@/previous?host=${sockets}&port=${port}`;
  const start = (ownPort: number, address: string) => {
    const folder = scratchFolder();
    return startServer({
      port: ownPort,
      folder,
      environment: {
        ...environment,
        SHORTY_DATABASE_URL: address,
        SHORTY_JOURNAL_FOLDER: join(folder, 'visits'),
      },
    });
  };
  const visitors = followLinks(ports.map((port) => [`http://localhost:${port}${path}`]));
  const first = await start(ports[0], databaseUrl);
  const onFirst = createLinks(first.origin);
  const second = await start(ports[1], overSocket);
  const created = (await onFirst) + (await createLinks(second.origin));
  const visits = await endVisits(visitors);
  expect([await first.stop(), await second.stop()]).toEqual([0, 0]);
  const settings = { ...environment, SHORTY_DATABASE_URL: overSocket };
  await expectNoErrorsOfDoctor(settings);
  const again = await start(ports[0], overSocket);
  expect(await figuresOf(again.origin)).toEqual({
    clicks: clicksBefore + visits,
    links: linksBefore + created,
  });
});
