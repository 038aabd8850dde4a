import { signWebhook } from '@shorty/webhook-verifier';
import { describe, expect, test } from 'vitest';
import { receiver as recordDeliveries } from '../../server/test/webhooks/receiver.js';
import { expectEnd } from './built-shorty.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty({ allowPrivateNetwork: true });

const json = (...args: string[]) => shorty.json(['webhooks', ...args]);

const receiver = 'http://127.0.0.1:4000/hook';

test('create prints the secret to stdout, and a note to stderr', async () => {
  const args = ['webhooks', 'create', receiver, '--event', 'url.created,qr.created', '--json'];
  const { code, stdout, stderr } = await shorty.run([...args, '--event', 'qr.deleted']);
  expect([code, stderr]).toEqual([0, expect.stringContaining('it is shown only once')]);
  const { id, secret, events } = JSON.parse(stdout);
  expect(events).toEqual(['url.created', 'qr.created', 'qr.deleted']);
  expect(stderr).not.toContain(secret);
  const shown = await json('get', id);
  expect(shown).toMatchObject({ id, url: receiver, isActive: true });
  expect(shown).not.toHaveProperty('secret');

  const { secret: newSecret, previousSecretExpiresAt } = await json('rotate-secret', id);
  expect(newSecret).not.toBe(secret);
  const flag = 'expireOldAfterSeconds 0, in the CLI --expire-old-after 0';
  await shorty.exits(1, flag, `webhooks rotate-secret ${id}`);
  const sooner = await json('rotate-secret', id, '--expire-old-after', '0');
  expect(Date.parse(sooner.previousSecretExpiresAt)).toBeLessThanOrEqual(Date.now());
  expect(Date.parse(previousSecretExpiresAt)).toBeGreaterThan(Date.now());
});

test('list, update, pause, resume and delete', async () => {
  const { id } = await json('create', receiver, '--all-events', '--paused');
  const { items } = await json('list', '--all');
  expect(items.find((item: { id: string }) => item.id === id)).toMatchObject({ isActive: false });
  const changed = await json('update', id, '--event', 'url.expired', '--url', `${receiver}2`);
  expect(changed).toMatchObject({ isActive: false, events: ['url.expired'] });
  const line = async (option: string) =>
    (await shorty.run(['webhooks', 'update', `${receiver}2`, option])).stdout;
  expect(await line('--no-paused')).toBe(`${receiver}2 updated: resumed\n`);
  expect(await json('get', id)).toMatchObject({ isActive: true });
  expect(await line('--paused')).toBe(`${receiver}2 updated: paused\n`);
  expect((await shorty.run(`webhooks delete ${id}`)).code).toBe(0);
  await shorty.exits(1, `(${id})\n  shorty webhooks list prints them`, `webhooks delete ${id}`);
});

test('create and update take a description, filters and headers', async () => {
  const hook = await recordDeliveries();
  const link = await server.client.urls.create({
    targetUrl: 'https://example.com',
    customSlug: 'for-the-crm',
  });
  await shorty.write('key.txt', 'value of a file\n');
  const { code, stdout } = await shorty.run(
    [
      ...['webhooks', 'create', hook.url, '--event', '*,url.clicked', '--json'],
      ...['--description', 'The CRM', '--tag', 'spring', '--tag', 'summer'],
      ...['--url-id', 'for-the-crm', '--header', 'Authorization=env:CRM_TOKEN'],
      ...['--header', 'X-Key=@key.txt', '--header', 'X-Stdin=@-'],
    ],
    { env: { CRM_TOKEN: 'Bearer a=b' }, input: 'one: two\r\n' },
  );
  expect(code).toBe(0);
  const { id } = JSON.parse(stdout);
  expect(await json('get', id)).toMatchObject({
    events: ['*', 'url.clicked'],
    description: 'The CRM',
    filters: { tags: ['spring', 'summer'], urlIds: [link.id] },
    headerNames: ['Authorization', 'X-Key', 'X-Stdin'],
  });
  await json('test', id);
  await hook.arrived(1);
  expect(hook.received[0]?.headers).toMatchObject({
    authorization: 'Bearer a=b',
    'x-key': 'value of a file',
    'x-stdin': 'one: two',
  });
  const { stdout: table } = await shorty.run('webhooks list');
  expect(table).toMatch(/^url +description .* filters +headerNames/);
  expect(await json('update', id, '--tag', 'autumn')).toMatchObject({
    filters: { tags: ['autumn'] },
    description: 'The CRM',
  });
  const clear = ['--clear', 'filters', '--clear', 'headers', '--clear', 'description'];
  expect(await json('update', id, ...clear)).toMatchObject({
    filters: null,
    headerNames: [],
    description: null,
  });
});

test.each([
  [['--header', 'Authorization=Bearer s3cret'], 'Name=env:VARIABLE or Name=@file'],
  [['--header', 'Authorization: Bearer s3cret'], 'Name=env:VARIABLE or Name=@file'],
  [['--header', 'X-Key=env:NOT_SET'], 'NOT_SET is no environment variable'],
  [['--header', 'X-Key=@missing.txt'], 'missing.txt cannot be read'],
  [['--header', 'X-Key=@lines.txt'], 'lines.txt has several lines'],
  [['--header', 'X-Key=@empty.txt'], 'empty.txt is empty'],
  [['--header', 'X-Key=@-'], 'stdin is empty'],
])('create refuses %j and prints no secret', async (options, reason) => {
  await shorty.write('lines.txt', 'one\ntwo s3cret\n');
  await shorty.write('empty.txt', ' \n');
  const args = ['webhooks', 'create', receiver, '--all-events', ...options];
  const { stderr } = await shorty.exits(2, reason, args);
  expect(stderr).not.toContain('s3cret');
});

test('stats shows the totals, the failures and the data', async () => {
  const hook = await recordDeliveries((response) => response.writeHead(503).end());
  const { id } = await json('create', hook.url, '--event', 'url.created');
  await json('test', id);
  await expect
    .poll(async () => (await json('stats', id)).failures, { timeout: 20_000 })
    .toEqual([{ cause: 'status_5xx', attempts: 1 }]);
  const { stdout } = await shorty.run(`webhooks stats ${id} --since 24h`);
  expect(stdout).toMatch(/^totals\.attempts +1$/m);
  expect(stdout).toMatch(/^status_5xx +1$/m);
});

test('event-types lists the types, and shows the example and the schema of one', async () => {
  const { items } = await json('event-types');
  const clicked = items.find(({ type }: { type: string }) => type === 'url.clicked');
  expect(clicked).toMatchObject({ isOptIn: true, schema: { type: 'object' } });
  expect(await json('event-types', 'url.clicked')).toEqual(clicked);
  const { stdout } = await shorty.run('webhooks event-types url.clicked');
  expect(stdout).toMatch(/^type +url\.clicked\n/);
  expect(JSON.parse(stdout.slice(stdout.indexOf('\n\n')))).toEqual(clicked.example);
});

test('test, deliveries and replay', async () => {
  const { id } = await json('create', receiver, '--event', 'url.created');
  const sent = await json('test', id, '--type', 'qr.created');
  expect(sent).toMatchObject({ webhookId: id, eventType: 'qr.created', status: 'pending' });
  const copy = await json('replay', id, sent.id);
  expect(copy).toMatchObject({ eventId: sent.eventId });
  expect(copy.id).not.toBe(sent.id);
  expect((await json('deliveries', id)).items).toMatchObject([{ id: copy.id }, { id: sent.id }]);
  await json('replay', id, sent.id);
  const countOf = async (...filter: string[]) => (await json('deliveries', id, ...filter)).total;
  expect(await countOf('--status', 'failed')).toBe(0);
  expect(await countOf('--event', 'qr.created')).toBe(3);
  expect(await countOf('--event', 'url.created')).toBe(0);
  expect(await countOf('--since', '1h')).toBe(3);
  expect(await countOf('--until', '1h')).toBe(0);
  expect(await json('deliveries', id, sent.id)).toMatchObject({
    id: sent.id,
    requestBody: expect.stringContaining('"qr.created"'),
    attemptHistory: expect.any(Array),
  });
  const table = await shorty.run(`webhooks deliveries ${id} -o csv --limit 1`);
  expect(table.stdout).toMatch(
    /^id,eventType,status,lastError,attempts,.*\n\S+,qr\.created,pending,.*,\d,/,
  );
  const one = await shorty.run(['webhooks', 'deliveries', id, sent.id]);
  expect(one.stdout).toMatch(/status +pending\n/);
});

test('recover says how many failed deliveries it sends again', async () => {
  const { id } = await json('create', receiver, '--event', 'url.created');
  const recovered = await json('recover', id, '--since', '1h', '--event', 'url.created');
  expect(recovered).toEqual({ created: 0, hasMore: false });
});

const secret = 'a secret of the test';
const event = { type: 'domain.verified', data: { hostname: 'go.example.com' } } as const;

describe('verify', () => {
  const env = { SHORTY_WEBHOOK_SECRET: secret };
  function delivery(now = new Date()) {
    const { headers, body } = signWebhook(event, { secret, now });
    const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    return { body, flags };
  }
  const verify = (args: string[], input: string | Buffer = '', env: Record<string, string> = {}) =>
    shorty.run(['webhooks', 'verify', ...args], { input, env });

  test('a valid body from a file or stdin prints the event and exits with 0', async () => {
    const { body, flags } = delivery();
    const piped = await verify(['-', ...flags, '--json'], body, env);
    expect([piped.code, piped.stderr]).toEqual([0, '']);
    expect(JSON.parse(piped.stdout)).toMatchObject(event);
    await shorty.write('body.json', body);
    expect((await verify(['body.json', ...flags, '--secret-stdin'], `${secret}\n`)).code).toBe(0);
  });

  test('any other body prints the reason and exits with 1', async () => {
    const { body, flags } = delivery();
    const changed = await verify(['-', ...flags], `${body} `, env);
    expectEnd(changed, 1, 'shorty: signature_mismatch: ');
    expect(changed.stdout).toBe('');
    expect(changed.stderr).not.toContain(secret);
    const old = delivery(new Date(Date.now() - 3_600_000));
    const late = ['-', ...old.flags];
    expectEnd(await verify(late, old.body, env), 1, 'shorty: timestamp_out_of_tolerance: ');
    expectEnd(await verify([...late, '--tolerance', '4000'], old.body, env), 0, '');
    const asJson = await verify(['-', '--json'], body, env);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: 'missing_header' } });
  });
});
