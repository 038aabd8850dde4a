import { afterEach, describe, expect, it } from 'vitest';
import { QueueFullError } from '../fair-queue.js';
import type { Domain } from './domain.js';
import { DomainService, type DomainServiceOptions } from './domain-service.js';
import { OwnHosts } from './own-hosts.js';

const challenge = 'shorty-verification=x';

const unused = () => {
  throw new Error('this test does not use it');
};

/** A service with one domain for each id. Its DNS look-ups end when the test releases them. */
function controlledService({ isActive = false } = {}) {
  const lookUps: string[] = [];
  const releases: (() => void)[] = [];
  let changes = 0;
  const find = async (organizationId: string, id: string): Promise<Domain> => ({
    id,
    organizationId,
    hostname: `${id}.example.com`,
    challenge,
    isActive,
    createdAt: 0,
    verifiedAt: isActive ? 0 : null,
    lastCheckedAt: null,
    lastError: null,
  });
  const domains: DomainServiceOptions['domains'] = {
    create: unused,
    delete: unused,
    findByHostname: unused,
    findFirstVerification: unused,
    find,
    async verify(domain) {
      return { result: { domain }, replayed: false };
    },
  };
  const service = new DomainService({
    domains,
    listDomains: unused,
    resolveTxt(name) {
      lookUps.push(name);
      return new Promise((resolve) => releases.push(() => resolve([challenge])));
    },
    ownHosts: new OwnHosts(() => []),
    clock: () => 0,
    newId: unused,
    randomBytes: unused,
    onChanged: () => {
      changes += 1;
    },
  });
  const verifyMany = (organizationId: string, count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, at) =>
        service.verify(organizationId, `${organizationId}${at}`, undefined),
      ),
    );
  return { service, lookUps, releases, verifyMany, changes: () => changes };
}

let control: ReturnType<typeof controlledService>;
const open = (options?: { isActive: boolean }) => {
  control = controlledService(options);
  return control;
};
afterEach(() => control.service.queue.close());

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('DomainService.verify', () => {
  it('reports a change when a domain becomes active', async () => {
    const { releases, verifyMany, changes } = open();
    const outcome = verifyMany('a', 1);
    await expect.poll(() => releases.length, { message: 'the look-up' }).toBe(1);
    releases[0]?.();
    expect(await outcome).toMatchObject([{ status: 'fulfilled' }]);
    expect(changes()).toBe(1);
  });

  it('reports no change and looks nothing up when the domain is active already', async () => {
    const { lookUps, verifyMany, changes } = open({ isActive: true });
    expect(await verifyMany('a', 1)).toMatchObject([{ status: 'fulfilled' }]);
    expect(changes()).toBe(0);
    expect(lookUps).toEqual([]);
  });

  it('runs at most 4 DNS look-ups of an organization and 32 of all', async () => {
    const { lookUps, verifyMany } = open();
    void verifyMany('a', 6);
    await turn();
    expect(lookUps).toHaveLength(4);
    for (let at = 0; at < 9; at += 1) void verifyMany(`other${at}`, 4);
    await turn();
    expect(lookUps).toHaveLength(32);
  });

  it('refuses the 33rd waiting look-up of an organization, and none of another', async () => {
    const { service, lookUps, verifyMany } = open();
    void verifyMany('a', 4 + 32);
    await turn();
    await expect(service.verify('a', 'a36', undefined)).rejects.toBeInstanceOf(QueueFullError);
    void verifyMany('b', 1);
    await turn();
    expect(lookUps).toHaveLength(5);
  });
});
