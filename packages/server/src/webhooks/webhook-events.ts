import { defineEvent } from '../events/define-event.js';
import { disabledWebhook } from './webhook-contract.js';

export const webhookDisabled = defineEvent({
  type: 'webhook.disabled',
  data: disabledWebhook.meta({ id: 'WebhookDisabledEventData' }),
  summary:
    'The server disabled another webhook of the organization, because its receiver failed for days',
});
