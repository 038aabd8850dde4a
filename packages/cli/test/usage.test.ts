import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const clock = () => Date.UTC(2030, 0, 31);
const { server, shorty } = await startSignedInShorty({ clock });
await server.client.urls.create({ targetUrl: 'https://example.com' });
await server.client.qr.create({ data: 'text' });

test('usage prints CSV rows with month and plan', async () => {
  const { code, stdout } = await shorty.run('usage -o csv --period 2029-12');
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      'period,plan,meter,used,included,overage,overageUsd',
      '2029-12,enterprise,links,1,unlimited,,',
      '2029-12,enterprise,api_call,0,,,',
      '2029-12,enterprise,qr_generated,0,unlimited,0,0.00',
      '2029-12,enterprise,webhook_delivery,0,unlimited,0,0.00',
      '',
    ],
  ]);
});

test('usage prints the current month by default, and the response as JSON', async () => {
  const { stdout } = await shorty.run('usage -o table');
  expect(stdout).toMatch(/\n2030-01 +enterprise +qr_generated +1 +unlimited +0 +0\.00\n/);
  const usage = await server.client.usage.get({ period: '2029-12' });
  for (const format of ['json', 'ndjson']) {
    const printed = await shorty.run(`usage --period 2029-12 -o ${format}`);
    expect(JSON.parse(printed.stdout)).toEqual(usage);
  }
});

const update = (...args: string[]) => shorty.run(['organization', 'update', ...args]);

test('organization update replaces and clears excluded addresses, and get shows them', async () => {
  const flags = ['--exclude-address', '203.0.113.7/24', '--exclude-address', '2001:db8::/32'];
  const { code, stdout } = await update(...flags, '--json');
  const excludeAddresses = ['203.0.113.0/24', '2001:db8::/32'];
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { name: 'default', excludeAddresses }]);
  const fields = ['--fields', 'excludeAddresses', '--json'];
  const shown = await shorty.run(['organization', 'get', ...fields]);
  expect(JSON.parse(shown.stdout)).toEqual({ excludeAddresses });
  const cleared = await update('--clear', 'excludeAddresses', '--json');
  expect(JSON.parse(cleared.stdout).excludeAddresses).toEqual([]);
});
