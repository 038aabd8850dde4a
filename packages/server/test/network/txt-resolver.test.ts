import { beforeEach, describe, expect, it } from 'vitest';
import { createTxtResolver } from '../../src/network/txt-resolver.js';
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
  it('answers every record', async () => {
    dns.set(name, { txt: [['v=spf1 -all'], ['shorty-verification=abc']] });
    expect(await resolveTxt(name)).toEqual(['v=spf1 -all', 'shorty-verification=abc']);
    expect(dns.asked).toEqual([name]);
  });

  it('puts the strings of a record together, without a space', async () => {
    const long = 'x'.repeat(600);
    const strings = [long.slice(0, 255), long.slice(255, 510), long.slice(510)];
    dns.set(name, { txt: [['shorty-verif', 'ication=', '', 'abc'], strings] });
    expect(await resolveTxt(name)).toEqual(['shorty-verification=abc', long]);
  });

  it('asks anew each time', async () => {
    dns.set(name, { rcode: 'NXDOMAIN' });
    await expect(resolveTxt(name)).rejects.toMatchObject({ fault: 'no_name' });
    dns.set(name, { txt: [['now']] });
    expect(await resolveTxt(name)).toEqual(['now']);
    dns.set(name, { txt: [['then']] });
    expect(await resolveTxt(name)).toEqual(['then']);
  });

  it.each([
    ['no_name', { rcode: 'NXDOMAIN' }],
    ['no_record', { txt: [] }],
    ['server_failure', { rcode: 'SERVFAIL' }],
    ['refused', { rcode: 'REFUSED' }],
  ] as const)('tells %s apart', async (fault, answer) => {
    dns.set(name, answer);
    await expect(resolveTxt(name)).rejects.toMatchObject({ name: 'DnsError', fault });
  });

  it('gives up on a server that does not answer', async () => {
    const startedAt = performance.now();
    await expect(resolveTxt(name)).rejects.toMatchObject({ fault: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs + 1000);
  });

  it('takes garbage for no answer', async () => {
    dns.set(name, { raw: Buffer.from('no DNS at all') });
    await expect(resolveTxt(name)).rejects.toMatchObject({ name: 'DnsError' });
  });

  it('tells that no server is there', async () => {
    const nobody = createTxtResolver({ servers: ['127.0.0.1:9'], timeoutMs: 2000 });
    await expect(nobody(name)).rejects.toMatchObject({
      fault: expect.stringMatching(/^(unreachable|timeout)$/),
    });
  });
});
