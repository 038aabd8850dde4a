import { beforeEach, describe, expect, it } from 'vitest';
import { createAddressResolver, createTxtResolver } from '../../src/network/dns-resolver.js';
import type { ResolveTxt } from '../../src/ports.js';
import { type DnsServer, dnsServer } from './dns-server.js';

const name = '_shorty-challenge.go.example.com';
const timeoutMs = 300;

let dns: DnsServer;
let resolveTxt: ResolveTxt;
beforeEach(async () => {
  dns = await dnsServer();
  resolveTxt = createTxtResolver({ servers: [dns.address], timeoutMs });
});

describe('createTxtResolver', () => {
  it('returns every record', async () => {
    dns.set(name, { txt: [['v=spf1 -all'], ['shorty-verification=abc']] });
    expect(await resolveTxt(name)).toEqual(['v=spf1 -all', 'shorty-verification=abc']);
    expect(dns.asked).toEqual([name]);
  });

  it.each([
    ['ENOTFOUND', { rcode: 'NXDOMAIN' }],
    ['ENODATA', { txt: [] }],
    ['ESERVFAIL', { rcode: 'SERVFAIL' }],
    ['EREFUSED', { rcode: 'REFUSED' }],
  ] as const)('throws %s', async (code, answer) => {
    dns.set(name, answer);
    await expect(resolveTxt(name)).rejects.toMatchObject({ name: 'DnsError', code });
  });

  it('times out when the server does not answer', async () => {
    const startedAt = performance.now();
    await expect(resolveTxt(name)).rejects.toMatchObject({ code: 'ETIMEOUT' });
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs + 1000);
  });
});

describe('createAddressResolver', () => {
  const resolve = (host: string) =>
    createAddressResolver({ servers: [dns.address], timeoutMs })(host);

  it('returns IPv4 and IPv6 addresses', async () => {
    dns.set('both.test', { addresses: ['192.0.2.1', '2001:db8::1', '192.0.2.2'] });
    expect(await resolve('both.test')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    dns.set('ipv4.test', { addresses: ['192.0.2.1'] });
    expect(await resolve('ipv4.test')).toEqual(['192.0.2.1']);
    dns.set('ipv6.test', { addresses: ['2001:db8::1'] });
    expect(await resolve('ipv6.test')).toEqual(['2001:db8::1']);
  });

  it.each(['localhost', 'anything.localhost', 'LOCALHOST.'])(
    'resolves %s to this machine without DNS',
    async (host) => {
      expect(await resolve(host)).toContain('127.0.0.1');
      expect(dns.asked).toEqual([]);
    },
  );
});
