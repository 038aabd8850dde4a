import { expect, it } from 'vitest';
import { standardPlans } from '../organizations/plans.js';
import { type WebhookHandlerOptions, webhookHandlers } from './webhook-handlers.js';

it('a change of a webhook wakes the dispatcher only if there is such a webhook', async () => {
  const woken: string[] = [];
  const rotated = { secret: 'shorty_wh_secret', previousSecretExpiresAt: 0 };
  const change = async (id: string) => ({
    result: id === 'known' ? rotated : null,
    replayed: false,
  });
  const { updateWebhook, deleteWebhook, rotateWebhookSecret } = webhookHandlers({
    webhooks: { update: change, delete: change, rotateSecret: change },
    organizations: { get: async () => ({ plan: 'scale' }) },
    plans: standardPlans,
    wake: (ids: readonly string[]) => woken.push(...ids),
  } as unknown as WebhookHandlerOptions);
  const inputOf = (id: string) => ({ caller: {}, params: { id }, body: {} }) as never;
  for (const handle of [updateWebhook, deleteWebhook, rotateWebhookSecret]) {
    await expect(handle(inputOf('unknown'))).rejects.toThrow('There is no webhook');
  }
  expect(woken).toEqual([]);
  await rotateWebhookSecret(inputOf('known'));
  expect(woken).toEqual(['known']);
});
