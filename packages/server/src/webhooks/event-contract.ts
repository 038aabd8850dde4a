import { z } from 'zod';
import { instant, uuidText } from '../contract/fields.js';
import { domainVerified } from '../domains/domain-contract.js';
import { type DataOfEvent, defineEvent, type EventDefinition } from '../events/define-event.js';
import { type EventType, eventTypes } from '../events/event-types.js';
import { qrScanThreshold, urlClickThreshold } from '../events/threshold-events.js';
import { qrCreated, qrDeleted } from '../qr/qr-contract.js';
import { urlCreated, urlDeleted, urlExpired, urlRestored, urlUpdated } from '../urls/url-events.js';
import { urlClicked } from './click-events.js';
import { disabledWebhook } from './webhook-contract.js';

export const webhookDisabled = defineEvent({
  type: 'webhook.disabled',
  data: disabledWebhook.meta({ id: 'WebhookDisabledEventData' }),
  summary:
    'The server disabled another webhook of the organization, because its receiver failed for days',
});

export const events = {
  'url.created': urlCreated,
  'url.updated': urlUpdated,
  'url.deleted': urlDeleted,
  'url.restored': urlRestored,
  'url.clicked': urlClicked,
  'url.click_threshold': urlClickThreshold,
  'url.expired': urlExpired,
  'qr.created': qrCreated,
  'qr.scan_threshold': qrScanThreshold,
  'qr.deleted': qrDeleted,
  'domain.verified': domainVerified,
  'webhook.disabled': webhookDisabled,
} as const satisfies { readonly [Type in EventType]: EventDefinition<Type> };

export type EventData<Type extends EventType> = DataOfEvent<(typeof events)[Type]>;

/** Returns the schema of a delivery's body. Specification, "Delivery format". */
function eventOf<Type extends EventType>(type: Type) {
  return z
    .object({
      id: uuidText.describe('The same in every delivery of the event.'),
      type: z.literal(type),
      createdAt: instant.describe(
        'The time of the event, in UTC with milliseconds. Events can arrive in another order.',
      ),
      test: z
        .literal(true)
        .optional()
        .describe('True in test deliveries. Absent from every other delivery.'),
      data: events[type].data,
    })
    .meta({ id: `${type.replace(/(?:^|[._])(\w)/g, (_, letter) => letter.toUpperCase())}Event` });
}

export const eventBodies = eventTypes.map((type) => ({
  type,
  summary: events[type].summary,
  body: eventOf(type),
}));
