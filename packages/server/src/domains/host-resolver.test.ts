import { describe, expect, it } from 'vitest';
import { StorageUnavailableError } from '../storage/database.js';
import { noSettings } from './domain-repository.js';
import { createHostResolver } from './host-resolver.js';

const away = () => Promise.reject(new StorageUnavailableError('storage is unavailable'));
const silent = () => new Promise<undefined>(() => {});

function resolver() {
  let now = 0;
  const active = new Map([['go.example', 'domain-1']]);
  const lookUps: string[] = [];
  let failure: (() => Promise<undefined>) | undefined;
  const hosts = createHostResolver({
    shortDomain: () => 'sho.example:8080',
    isOwnHost: (hostname) => hostname === 'own.example',
    findByHostname: async (hostname) => {
      lookUps.push(hostname);
      const id = failure ? await failure() : active.get(hostname);
      return id === undefined
        ? undefined
        : { id, organizationId: `owner of ${id}`, isActive: true, settings: noSettings };
    },
    platformSettings: noSettings,
    clock: () => now,
    onError: () => {},
  });
  return {
    hosts,
    active,
    lookUps,
    failBy(next: typeof failure) {
      failure = next;
    },
    advance(ms: number) {
      now += ms;
    },
  };
}

describe('createHostResolver', () => {
  it.each(['127.0.0.1', '10.0.0.8:3000', '[::ffff:10.0.0.8]:80', 'localhost', 'shorty:3000'])(
    'resolves %s to the platform while storage is silent',
    async (host) => {
      const { hosts, failBy } = resolver();
      failBy(silent);
      expect(await hosts.find(host)).toBeNull();
      expect(await hosts.findOrganization(host)).toBeNull();
    },
  );

  it('finds no organization while storage is away, except in the cache', async () => {
    const { hosts, failBy, advance } = resolver();
    await hosts.findOrganization('go.example');
    failBy(away);
    advance(1000);
    expect(await hosts.findOrganization('go.example')).toBe('owner of domain-1');
    expect(await hosts.findOrganization('other.example')).toBeNull();
    failBy(() => Promise.reject(new TypeError('a defect')));
    await expect(hosts.findOrganization('other.example')).rejects.toThrow('a defect');
  });

  it.each([
    ['away', away],
    ['silent', silent],
  ])('uses expired entries while storage is %s', async (_, failure) => {
    const { hosts, lookUps, failBy, advance } = resolver();
    await hosts.find('go.example');
    await hosts.find('other.example');
    failBy(failure);
    for (let second = 0; second < 3; second += 1) {
      advance(1000);
      const visitors = Array.from({ length: 5 }, () => hosts.find('go.example'));
      expect(await Promise.all(visitors)).toEqual(Array(5).fill('domain-1'));
      expect(hosts.find('go.example')).toBe('domain-1');
    }
    expect(await hosts.find('other.example')).toBeNull();
    // One look-up a second for each host, whatever the number of visitors.
    expect(lookUps.length).toBeLessThanOrEqual(2 + 3 + 1);
  });
});
