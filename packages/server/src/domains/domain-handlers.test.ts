import { afterEach, describe, expect, it } from 'vitest';
import { QueueFullError } from '../fair-queue.js';
import type { Domain } from './domain.js';
import { createLookUpQueue, type DomainHandlerOptions, domainHandlers } from './domain-handlers.js';
import { ownHostTest } from './own-hosts.js';

const challenge = 'shorty-verification=x';
const request = { query: undefined, body: undefined, headers: {}, address: '127.0.0.1' };

const unused = () => {
  throw new Error('this test does not use it');
};

/** Handlers with one domain for each id. Their DNS look-ups end when the test releases them. */
function controlledHandlers({ isActive = false } = {}) {
  const lookUps: string[] = [];
  const releases: (() => void)[] = [];
  let changes = 0;
  const find = async (organizationId: string, id: string): Promise<Domain> => ({
    id,
    organizationId,
    hostname: `${id}.example.com`,
    challenge,
    isActive,
    updatedAt: 0,
    createdAt: 0,
    verifiedAt: isActive ? 0 : null,
    lastCheckedAt: null,
    lastError: null,
    rootUrl: null,
    notFoundUrl: null,
    expiredUrl: null,
    ignoreCase: false,
    forwardQuery: false,
    forwardPath: false,
    appleAppSiteAssociation: null,
    assetLinks: null,
  });
  const domains: DomainHandlerOptions['domains'] = {
    create: unused,
    update: unused,
    delete: unused,
    findDocument: unused,
    hasHostname: unused,
    findByHostname: unused,
    findFirstVerification: unused,
    find,
    async verify({ organizationId, id }) {
      return { result: { domain: await find(organizationId, id) }, replayed: false };
    },
  };
  const queue = createLookUpQueue();
  const { verifyDomain } = domainHandlers({
    domains,
    listDomains: unused,
    hosts: {
      find: unused,
      clear() {
        changes += 1;
      },
    },
    lookUps: queue,
    resolveTxt(name) {
      lookUps.push(name);
      return new Promise((resolve) => releases.push(() => resolve([challenge])));
    },
    isOwnHost: ownHostTest([]),
    findBlockedHost: unused,
    describeBlocked: unused,
    onSettingsChanged: unused,
    clock: () => 0,
    newId: unused,
    randomBytes: unused,
  });
  const verify = (organizationId: string, id: string) => {
    const caller = {
      client: { id: 'client' },
      apiKey: null,
      organizationId,
      scopes: new Set<string>(),
    };
    return verifyDomain({ ...request, caller, params: { id }, write: undefined });
  };
  const verifyMany = (organizationId: string, count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, at) => verify(organizationId, `${organizationId}${at}`)),
    );
  return { queue, lookUps, releases, verify, verifyMany, changes: () => changes };
}

let control: ReturnType<typeof controlledHandlers>;
const open = (options?: { isActive: boolean }) => {
  control = controlledHandlers(options);
  return control;
};
afterEach(() => control.queue.close());

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('verifyDomain', () => {
  it('evicts all hosts when a domain becomes active', async () => {
    const { releases, verifyMany, changes } = open();
    const outcome = verifyMany('a', 1);
    await expect.poll(() => releases.length, { message: 'the look-up' }).toBe(1);
    releases[0]?.();
    expect(await outcome).toMatchObject([{ status: 'fulfilled' }]);
    expect(changes()).toBe(1);
  });

  it('evicts nothing and looks nothing up when the domain is active already', async () => {
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
    const { verify, lookUps, verifyMany } = open();
    void verifyMany('a', 4 + 32);
    await turn();
    await expect(verify('a', 'a36')).rejects.toBeInstanceOf(QueueFullError);
    void verifyMany('b', 1);
    await turn();
    expect(lookUps).toHaveLength(5);
  });
});
