import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { type Received, receiver } from '../webhooks/receiver.js';
import { startForFile } from './start-server.js';

// The libraries compare the timestamp with the clock of the machine.
const api = await startForFile({ allowPrivateNetwork: true, clock: Date.now });

const libraries = [
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
] as const;

async function send(id: string, { received, arrived }: Awaited<ReturnType<typeof receiver>>) {
  const count = received.length + 1;
  await api.call('testWebhook', { params: { id } });
  await arrived(count);
  return received[count - 1] as Received;
}

describe.each(libraries)('a receiver that verifies with %s', (_name, Library) => {
  const verify = (secret: string, body: string, headers: object) =>
    new Library(secret).verify(body, headers as Record<string, string>);

  it('accepts deliveries, before and during a rotation of the secret', async () => {
    const hook = await receiver();
    const body = { url: hook.url, events: ['url.created'] };
    const { data: webhook } = await api.call('createWebhook', { body });
    const { id } = webhook;
    const before = await send(id, hook);
    expect(verify(webhook.standardWebhooksSecret, before.body, before.headers)).toEqual(
      before.event,
    );
    expect(before.headers['webhook-id']).toBe(before.headers['x-service-delivery-id']);
    expect(before.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}=$/);

    const { data: rotated } = await api.call('rotateWebhookSecret', { params: { id } });
    const during = await send(id, hook);
    for (const { standardWebhooksSecret } of [webhook, rotated]) {
      expect(verify(standardWebhooksSecret, during.body, during.headers)).toEqual(during.event);
    }
    const refused: [string, string, object][] = [
      [rotated.standardWebhooksSecret, before.body, before.headers],
      [webhook.standardWebhooksSecret, `${during.body} `, during.headers],
      [webhook.standardWebhooksSecret, during.body, { ...during.headers, 'webhook-id': 'another' }],
    ];
    for (const each of refused) expect(() => verify(...each)).toThrow('No matching signature');
    await api.call('deleteWebhook', { params: { id } });
  });
});
