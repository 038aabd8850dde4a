import type { Caller, TestServer } from '../api/start-server.js';

let count = 0;

/** Bodies by operationId, for routes of whose body the contract's examples make no valid one. */
export const sampleBodies: Readonly<Record<string, () => unknown>> = {
  // Nobody listens there and little of the kind happens: what is delivered fails at once, and that
  // is that while the clock stands still.
  createWebhook: () => ({ url: 'http://127.0.0.1:2/', events: ['qr.scan_threshold'] }),
};

/** How a record comes to be that no POST to its collection makes; its id. */
export const sampleRecords: Readonly<
  Record<string, (api: TestServer, owner: Caller, parentId: string) => Promise<string>>
> = {
  // Links take active domains only.
  '/api/v1/domains': async ({ zone }, owner) => {
    count += 1;
    const hostname = `sample${count}.example.com`;
    const { id, txtRecord } = (await owner.call('createDomain', { body: { hostname } })).data;
    zone.set(txtRecord.name, [txtRecord.value]);
    await owner.call('verifyDomain', { params: { id } });
    return id;
  },
  '/api/v1/webhooks/{id}/deliveries': async (_, owner, webhookId) =>
    (await owner.call('testWebhook', { params: { id: webhookId } })).data.id,
};
