import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import type { ApiResponse } from './api-response.js';
import { requestToken, startForTest, startServer, type TestServer } from './start-server.js';

const limitsOf = ({ headers }: ApiResponse) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));

describe('requests of an organization', () => {
  // The limiter reads the time of the process, which stands still here.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('get the remaining requests in RateLimit headers', async () => {
    const api = await startForTest({ rateLimit: 60 });
    const response = await api.call('listUrls');
    expect(limitsOf(response)).toEqual([60, 59, 60]);
    expect(response.headers.get('ratelimit-policy')).toBe('60;w=60');
    vi.setSystemTime(Date.now() + 30_000);
    expect(limitsOf(await api.call('createUrl', { body: {} }))).toEqual([60, 58, 30]);
    expect(limitsOf(await api.call('getUrl', { params: { id: 999 } }))).toEqual([60, 57, 30]);
  });

  it('get RATE_LIMITED with Retry-After beyond the limit, until that time has passed', async () => {
    const api = await startForTest({ rateLimit: 3 });
    const body = { targetUrl: 'https://example.com/' };
    for (let left = 3; left > 0; left -= 1) {
      expect((await api.call('createUrl', { body })).status).toBe(201);
    }
    const refused = await api.call('createUrl', { body });
    expect(refused.outcome).toBe('429 RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(limitsOf(refused)).toEqual([3, 0, 60]);
    vi.setSystemTime(Date.now() + 59_999);
    expect((await api.call('createUrl', { body })).headers.get('retry-after')).toBe('1');
    vi.setSystemTime(Date.now() + 1);
    expect((await api.call('createUrl', { body })).status).toBe(201);
    expect((await api.call('listUrls')).data.total).toBe(4);
  });

  it('share one limit for all tokens of the organization, apart from other organizations', async () => {
    const api = await startForTest({ rateLimit: 2 });
    const second = await api.signIn(api.credentials, 'urls:read');
    const other = await api.newcomer('free');
    expect((await api.call('listUrls')).status).toBe(200);
    expect((await second.call('listUrls')).status).toBe(200);
    expect((await second.call('listUrls')).outcome).toBe('429 RATE_LIMITED');
    expect((await api.call('getUsage')).outcome).toBe('429 RATE_LIMITED');
    expect((await other.call('listUrls')).status).toBe(200);
  });

  it('do not include visits of links, health checks, token requests and pages', async () => {
    const api = await startForTest({ rateLimit: 2 });
    const data = await api.createLink();
    for (let at = 0; at < 10; at += 1) {
      expect((await api.visit(`/${data.shortCode}`)).status).toBe(307);
      expect((await api.visit('/health/live')).status).toBe(200);
      await api.signIn(api.credentials);
    }
    expect((await api.call('listUrls')).status).toBe(200);
  });

  it('have no limit when the setting is 0', async () => {
    const api = await startForTest({ rateLimit: 0 });
    const response = await api.call('listUrls');
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  });
});

describe('attempts to get a token are limited per address', () => {
  let api: TestServer;
  beforeAll(async () => {
    api = await startServer({ trustedProxies: parseAddressRanges('127.0.0.1, ::1') });
  });
  afterAll(() => api.stop());

  const ask = (address: string, clientSecret = 'wrong') =>
    requestToken(
      api.server.url,
      { clientId: api.credentials.clientId, clientSecret },
      { 'x-forwarded-for': address },
    );
  const right = (address: string) => ask(address, api.credentials.clientSecret);

  it('30 of an IPv6 /64 may fail in a minute; then even the correct secret gets 429 with Retry-After', async () => {
    const addresses = Array.from({ length: 40 }, (_, at) => `2001:db8:0:1::${at.toString(16)}`);
    const outcomes = await Promise.all(addresses.map((address) => ask(address)));
    expect(outcomes.filter(({ status }) => status === 401)).toHaveLength(30);
    expect(outcomes.filter(({ status }) => status === 429)).toHaveLength(10);
    const refused = await right('2001:db8::1:ffff:0:0:1');
    expect(refused.outcome).toBe('429 RATE_LIMITED');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(limitsOf(refused)).toEqual([30, 0, 60]);
    for (const address of ['2001:db8:0:2::1', '192.0.2.1']) {
      expect((await right(address)).status).toBe(200);
    }
    api.clock.advance(60_000);
    expect((await right('2001:db8::1:ffff:0:0:1')).status).toBe(200);
  });
});
