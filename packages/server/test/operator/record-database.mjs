// `node packages/server/test/operator/record-database.mjs`: records a database of this version beside this file,
// for upgrade.test.ts. Needs a build. Run it for each release that changes the tables.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { Shorty } from '../../../sdk/dist/index.js';
import { createServer } from '../../dist/index.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'shorty-record-'));
const path = join(folder, 'shorty.db');
const server = createServer({
  databaseUrl: `file:${path}`,
  credentials: {
    clientId: 'operator-test',
    clientSecret: 'operator-test-secret-of-32-chars',
  },
  secretKey: 'a secret key of the recorded database',
});
await server.start();
const { clientId, clientSecret } = server.credentials;
const shorty = new Shorty({ baseUrl: server.url, clientId, clientSecret });

const link = await shorty.urls.create({
  targetUrl: 'https://example.com/recorded',
  customSlug: 'recorded',
  tags: ['recorded'],
  rules: [{ when: { country: ['DE'] }, targetUrl: 'https://example.com/de' }],
});
await shorty.urls.create({
  targetUrl: 'https://example.com/locked',
  customSlug: 'locked',
  isPasswordProtected: true,
  password: 'recorded',
});
await shorty.qr.create({ urlId: link.id });
await shorty.domains.create({ hostname: 'go.example.com' });
await shorty.apiKeys.create({ name: 'recorded' });
await shorty.people.invite({ email: 'viewer@example.com', role: 'viewer' });
await shorty.webhooks.create({
  url: 'https://example.com/hook',
  events: ['url.created'],
  isActive: false,
});
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
await fetch(link.shortUrl, { headers: { 'user-agent': agent }, redirect: 'manual' });
let clicks = 0;
while (clicks === 0) clicks = (await shorty.urls.get(link.id)).clickCount;
await server.stop();

const database = new Sqlite(path);
database.pragma('journal_mode = DELETE');
database.exec('vacuum');
database.close();
writeFileSync(
  new URL(`recorded-${version}.db.gz`, import.meta.url),
  gzipSync(readFileSync(path), { level: 9 }),
);
rmSync(folder, { recursive: true });
