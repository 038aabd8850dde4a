import { afterAll, describe, expect, it } from 'vitest';
import { storedVisits } from './stored-visits.js';
import { startVisitedServer } from './visited-server.js';

const api = await startVisitedServer({ thresholds: [1] });
afterAll(() => api.stop());

const exclude = (excludeAddresses: unknown) =>
  api.call('updateOwnOrganization', { body: { excludeAddresses } });

const eventTypes = async () => {
  const rows = await api.server.database.read.selectFrom('events').select('type').execute();
  return rows.map(({ type }) => type);
};

it('redirects visits from excluded addresses, and counts them nowhere', async () => {
  expect((await api.call('getOwnOrganization')).data).toEqual({
    id: api.organizationId,
    name: 'default',
    plan: 'enterprise',
    excludeAddresses: [],
  });
  const { id, shortCode } = await api.createLink();
  const qr = (await api.call('createQr', { body: { urlId: id } })).data;
  // The link is cached.
  await api.visitAs(shortCode, { agent: 'bot', address: '203.0.113.7' });
  const entries = ['203.0.113.77/24', '::ffff:198.51.100.1', '2001:DB8:1::/48', '203.0.113.0/24'];
  const changed = await exclude(entries);
  expect(changed.data.excludeAddresses).toEqual([
    '203.0.113.0/24',
    '198.51.100.1',
    '2001:db8:1::/48',
  ]);
  const visitors = ['203.0.113.7', '198.51.100.1', '::ffff:203.0.113.9', '2001:db8:1:2::3'];
  for (const address of visitors) await api.visitAs(shortCode, { agent: 'iphone', address });
  await api.visitAs(shortCode, { agent: 'bot', address: '203.0.113.8' });
  await api.settle();
  expect(await storedVisits(api.server.database)).toEqual([]);
  const metrics = await (await fetch(`${api.server.url}/metrics`)).text();
  expect(metrics).toContain('{kind="excluded",reason="excluded-address"} 4');
  const read = async () => ({
    link: (await api.getLink(id)).clickCount,
    clicks: (await api.call('getUrlClicks', { params: { id } })).data.totals,
    scans: (await api.call('getQrScans', { params: { id: qr.id } })).data.totals.totalScans,
    events: (await eventTypes()).filter((type) => type.includes('threshold')),
  });
  expect(await read()).toMatchObject({
    link: 0,
    clicks: { totalClicks: 0, uniqueClicks: 0, uniqueIps: 0 },
    scans: 0,
    events: [],
  });
  await api.visitAs(shortCode, { agent: 'iphone', address: '198.51.100.2' });
  await api.settle();
  api.clock.advance(1);
  expect(await read()).toMatchObject({ link: 1, clicks: { totalClicks: 1 }, scans: 1 });
  await exclude([]);
  await api.visitAs(shortCode, { agent: 'iphone', address: '203.0.113.7' });
  await api.settle();
  api.clock.advance(1);
  expect(await read()).toMatchObject({ link: 2, clicks: { totalClicks: 2 }, scans: 2 });
});

it('excludes addresses for the links of one organization only', async () => {
  const other = await api.newcomer('scale');
  await other.call('updateOwnOrganization', { body: { excludeAddresses: ['192.0.2.0/24'] } });
  const { id, shortCode } = await api.createLink();
  await api.visitAs(shortCode, { address: '192.0.2.1' });
  await api.settle();
  expect((await api.getLink(id)).clickCount).toBe(1);
  expect((await api.call('getOwnOrganization')).data.excludeAddresses).toEqual([]);
});

describe('refuses', () => {
  const rule = 'it must be an IP address or a CIDR range, such as 203.0.113.7 or 2001:db8::/32';
  it.each([
    ['example.com', `is "example.com": ${rule}`],
    ['192.0.2.1,192.0.2.2', `is "192.0.2.1,192.0.2.2": ${rule}`],
  ])('%s', async (entry, message) => {
    const { error } = await exclude(['192.0.2.1', entry]);
    expect(error).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'excludeAddresses[1]', message }],
    });
  });
});
