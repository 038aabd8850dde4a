// `node packages/server/scripts/write-released-database.mjs`: writes a SQLite database of this version
// and the responses of its API to test/storage/released. The tests migrate the database in every later
// version. Needs a build.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { createServer } from '../dist/index.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'shorty-released-'));
const path = join(folder, 'shorty.db');
const challenges = [];
const options = {
  databaseUrl: `file:${path}`,
  allowPrivateNetwork: true,
  resolveTxt: async () => challenges,
};
try {
  const { credentials, urlId } = await withServer(fill);
  // After a stop, the visits are in storage.
  const responses = await withServer((server) => read(server, credentials, urlId), {
    shortDomain: 'sho.example',
  });
  const target = new URL(`../test/storage/released/${version}`, import.meta.url).pathname;
  // Moves the log into the file.
  const database = new Sqlite(path);
  database.pragma('journal_mode = delete');
  database.exec('vacuum');
  database.close();
  writeFileSync(`${target}.db.gz`, gzipSync(readFileSync(path), { level: 9 }));
  writeFileSync(`${target}.json`, `${JSON.stringify({ credentials, responses }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

async function withServer(work, more) {
  const server = createServer({ ...options, ...more });
  await server.start();
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Creates at least one record of every kind. */
async function fill(server) {
  const { credentials } = server;
  const call = await signIn(server, credentials);
  const { id: domainId, txtRecord } = await call('POST', '/domains', {
    hostname: 'go.example.com',
  });
  challenges.push(txtRecord.value);
  await call('POST', `/domains/${domainId}/verify`);
  await call('POST', '/webhooks', {
    url: 'http://127.0.0.1:65533/',
    events: ['url.created', 'qr.created'],
  });
  const { id: urlId, shortCode } = await call('POST', '/urls', {
    targetUrl: 'https://example.com/spring',
    customSlug: 'spring-sale',
    title: 'Ærøskøbing',
    tags: ['launch'],
    utmSource: 'mail',
    customUtmParams: { utm_id: '7' },
  });
  await call('POST', '/urls', { targetUrl: 'https://example.com/', domainId });
  await call('POST', '/urls', {
    targetUrl: 'https://example.com/inside',
    isPasswordProtected: true,
    password: 'open sesame',
  });
  await call('POST', '/qr', { urlId });
  await call('POST', '/qr', { data: 'a text' });
  const visit = await fetch(`${server.url}/${shortCode}`, {
    redirect: 'manual',
    headers: {
      'user-agent': 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36',
    },
  });
  if (visit.status !== 307) throw new Error(`the link answers ${visit.status}`);
  return { credentials, urlId };
}

/** Reads the responses that must be the same after every later migration. */
async function read(server, credentials, urlId) {
  const call = await signIn(server, credentials);
  const paths = ['/urls', `/urls/${urlId}`, '/urls?search=%C3%A6r%C3%B8sk', '/qr', '/domains'];
  const responses = {};
  for (const path of paths) responses[path] = await call('GET', path);
  const { clickCount } = responses[`/urls/${urlId}`];
  if (clickCount !== 1) throw new Error(`clickCount is ${clickCount}, and must be 1`);
  return responses;
}

async function signIn(server, credentials) {
  const request = async (method, path, body, token) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = await response.json();
    if (error) throw new Error(`${method} ${path}: ${error.message}`);
    return data;
  };
  const { accessToken } = await request('POST', '/auth/token', credentials);
  return (method, path, body) => request(method, path, body, accessToken);
}
