import { describe, expect, it } from 'vitest';
import { StorageUnavailableError } from '../storage/database.js';
import { HostResolver } from './host-resolver.js';

const away = () => Promise.reject(new StorageUnavailableError('storage is unavailable'));
const silent = () => new Promise<undefined>(() => {});

function resolver() {
  let now = 0;
  const active = new Map([['go.example', 'domain-1']]);
  const asked: string[] = [];
  let fault: (() => Promise<undefined>) | undefined;
  const hosts = new HostResolver({
    shortDomain: () => 'sho.example:8080',
    findId: async (hostname) => {
      asked.push(hostname);
      return fault ? fault() : active.get(hostname);
    },
    clock: () => now,
  });
  return {
    hosts,
    active,
    asked,
    failBy(next: typeof fault) {
      fault = next;
    },
    advance(ms: number) {
      now += ms;
    },
  };
}

describe('HostResolver', () => {
  it.each([undefined, 'sho.example:8080'])('%j is the platform, without a look-up', (host) => {
    const { hosts, asked } = resolver();
    expect(hosts.find(host)).toBeNull();
    expect(asked).toEqual([]);
  });

  it.each([
    'go.example',
    'GO.Example',
    'go.example:443',
    'go.example.',
    'go.example.:443',
    'go.example:',
  ])('%s is the custom domain', async (host) => {
    expect(await resolver().hosts.find(host)).toBe('domain-1');
  });

  it.each([
    'other.example',
    '',
    ':',
    '[::1]:80',
    'go.example.evil',
    'go.example..',
    'x'.repeat(5000),
  ])('%s is the platform', async (host) => {
    expect(await resolver().hosts.find(host)).toBeNull();
  });

  it('answers at once what it knows, for a second', async () => {
    const { hosts, asked, advance } = resolver();
    await hosts.find('go.example');
    advance(999);
    expect(hosts.find('go.example')).toBe('domain-1');
    expect(asked).toHaveLength(1);
  });

  it('forgets at once what changes on this node, and what is being looked up meanwhile', async () => {
    const { hosts, active } = resolver();
    await hosts.find('go.example');
    const early = hosts.find('new.example');
    active.set('new.example', 'domain-2');
    active.delete('go.example');
    hosts.clear();
    await early;
    expect(await hosts.find('new.example')).toBe('domain-2');
    expect(await hosts.find('go.example')).toBeNull();
  });

  it('sees within a second that a domain was added or removed', async () => {
    const { hosts, active, advance } = resolver();
    await hosts.find('go.example');
    await hosts.find('new.example');
    active.delete('go.example');
    active.set('new.example', 'domain-2');
    advance(1000);
    expect(await hosts.find('go.example')).toBeNull();
    expect(await hosts.find('new.example')).toBe('domain-2');
  });

  it.each([
    ['away', away],
    ['silent', silent],
  ])('goes on with what it knew while storage is %s', async (_, fault) => {
    const { hosts, asked, failBy, advance } = resolver();
    await hosts.find('go.example');
    await hosts.find('other.example');
    failBy(fault);
    for (let second = 0; second < 3; second += 1) {
      advance(1000);
      const visitors = Array.from({ length: 5 }, () => hosts.find('go.example'));
      expect(await Promise.all(visitors)).toEqual(Array(5).fill('domain-1'));
      expect(hosts.find('go.example')).toBe('domain-1');
    }
    expect(await hosts.find('other.example')).toBeNull();
    // At most once a second for each host, however many visitors come.
    expect(asked.length).toBeLessThanOrEqual(2 + 3 + 1);
  });

  it('knows nothing of a host that it meets while storage is away', async () => {
    const { hosts, failBy } = resolver();
    failBy(away);
    await expect(hosts.find('go.example')).rejects.toThrow(StorageUnavailableError);
    failBy(undefined);
    expect(await hosts.find('go.example')).toBe('domain-1');
  });
});
