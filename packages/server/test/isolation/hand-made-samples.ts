import { v7 as newUuid } from 'uuid';
import { DomainRepository } from '../../src/domains/domain-repository.js';
import type { Caller, TestServer } from '../api/start-server.js';

let count = 0;
const next = () => {
  count += 1;
  return count;
};

/** Bodies by operationId, for routes of whose body the contract's examples make no valid one. */
export const sampleBodies: Readonly<Record<string, () => unknown>> = {
  // Nobody listens there and little of the kind happens: what is delivered fails at once, and that
  // is that while the clock stands still.
  createWebhook: () => ({ url: 'http://127.0.0.1:2/', events: ['domain.verified'] }),
  createDomain: () => ({ hostname: `sample${next()}.example.com` }),
};

/** How a record comes to be that no POST to its collection makes; its id. */
export const sampleRecords: Readonly<
  Record<string, (api: TestServer, owner: Caller, parentId: string) => Promise<string>>
> = {
  // Links take active domains only, and nobody verifies one here.
  '/api/v1/domains': async ({ server, clock }, { organizationId }) => {
    const domain = { id: newUuid(), hostname: `sample${next()}.example`, isActive: true };
    await new DomainRepository(server.database).create({
      ...domain,
      organizationId,
      createdAt: clock(),
    });
    return domain.id;
  },
  '/api/v1/webhooks/{id}/deliveries': async (_, owner, webhookId) =>
    (await owner.call('testWebhook', { params: { id: webhookId } })).data.id,
};
