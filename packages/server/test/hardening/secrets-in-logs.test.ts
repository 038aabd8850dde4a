import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/operations/commands/create-logger.js';
import { requestToken, startServer, type TestServer } from '../api/start-server.js';

const lines: string[] = [];
const logger = createLogger('trace', { write: (line) => void lines.push(line) });
const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`;

/** Every secret that the functions below have sent or received, by its kind. */
const used = new Map<string, string>();
const remember = (name: string, secret: string) => {
  used.set(name, secret);
  return secret;
};

beforeAll(async () => {
  const api = await startServer({ logger });
  await tokens(api);
  await webhooks(api);
  await passwords(api);
  await faults(api);
  await api.stop();
});

async function tokens(api: TestServer) {
  const { clientId, clientSecret } = api.credentials;
  remember('client secret', clientSecret);
  remember('access token', api.token);
  const wrong = remember('wrong secret', 'a-wrong-client-secret');
  const ask = (init: RequestInit) => api.visit('/api/v1/auth/token', { method: 'POST', ...init });
  const form = (body: string, headers = {}) =>
    ask({ body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });
  for (const secret of [clientSecret, wrong]) {
    const body = JSON.stringify({ clientId, clientSecret: secret });
    await ask({ body, headers: { 'content-type': 'application/json' } });
    await ask({ body: `${body}}`, headers: { 'content-type': 'application/json' } });
    await form(`grant_type=client_credentials&client_id=${clientId}&client_secret=${secret}`);
    const authorization = basic(clientId, secret);
    remember(`basic credentials of ${secret}`, authorization.slice('Basic '.length));
    await form('grant_type=client_credentials', { authorization });
  }
  // Some clients send a token in the wrong place.
  await api.visit(`/api/v1/urls?access_token=${api.token}`);
  await api.send('GET', `/api/v1/urls/${api.token}`);
  await api.send('GET', `/api/v1/webhooks/Bearer%20${api.token}`);
  await api.send('GET', `/api/v1/nothing/${clientSecret}`);
}

async function webhooks(api: TestServer) {
  const header = remember('header of a webhook', 'Bearer for-the-receiver-only');
  const body = {
    url: 'https://receiver.example/',
    events: ['url.created'],
    isActive: false,
    headers: { Authorization: header },
  };
  const { id, secret } = (await api.call('createWebhook', { body })).data;
  remember('webhook secret', secret);
  const rotated = await api.call('rotateWebhookSecret', { params: { id } });
  remember('rotated secret', rotated.data.secret);
  await api.call('testWebhook', { params: { id } });
}

async function passwords(api: TestServer) {
  const password = remember('password', 'open-sesame-please');
  const body = { targetUrl: 'https://example.com/', isPasswordProtected: true, password };
  const { shortCode } = await api.createLink(body);
  for (const word of [password, remember('wrong password', 'a-wrong-password')]) {
    const text = new URLSearchParams({ password: word });
    await api.visit(`/${shortCode}`, { method: 'POST', body: text });
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
    await api.visit(`/${shortCode}`, { ...json, body: JSON.stringify({ password: word }) });
    await api.visit(`/${shortCode}`, { ...json, body: `{"password":"${word}"` });
  }
}

/** Sends secrets while storage fails, because the log contains most details then. */
async function faults(api: TestServer) {
  for (const table of ['webhooks', 'access_tokens', 'url_keys']) {
    await api.server.database.writeDirectly(async (transaction) => {
      await sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_away`)}`.execute(
        transaction,
      );
    });
  }
  const answer = await requestToken(api.server.url, api.credentials);
  expect(answer.status).toBe(500);
  expect((await api.send('GET', '/api/v1/urls')).status).toBe(500);
  expect((await api.visit('/some-link')).status).toBe(500);
}

describe('logs at the level trace', () => {
  it('contain the requests and the errors', () => {
    const logged = lines.map((line) => JSON.parse(line) as { path?: string; level: number });
    expect(logged.filter(({ path }) => path === '/api/v1/auth/token').length).toBeGreaterThan(8);
    expect(logged.filter(({ level }) => level >= 50).length).toBeGreaterThanOrEqual(3);
  });

  it('contain none of the secrets that were used', () => {
    expect(used.size).toBeGreaterThan(8);
    const all = lines.join('');
    expect([...used].filter(([, secret]) => all.includes(secret))).toEqual([]);
  });
});
