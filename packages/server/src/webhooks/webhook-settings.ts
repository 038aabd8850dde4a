import { z } from 'zod';
import { atMost, characters, displayText, urlIdInput, uuid, uuidText } from '../contract/fields.js';
import { eventTypes } from '../events/event-types.js';
import { everyType } from '../events/subscription.js';
import { tagName } from '../urls/link-fields.js';

const maxFilterValues = 50;
const maxHeaders = 10;
const maxHeaderNameLength = 64;
const maxHeaderValueLength = 2_048;
/** The maximum length of all names and values together. */
const maxHeadersLength = 4_096;

const subscribedTypes = [...eventTypes, everyType] as const;

/** A type that a webhook subscribes to, or `*`. */
export const subscribedType = z
  .enum(subscribedTypes, { error: `must be one of ${subscribedTypes.join(', ')}` })
  .meta({
    id: 'SubscribedEventType',
    description: 'An event type, or `*` for all types, including future ones.',
  });

const maxEvents = 100;

export const events = atMost(
  maxEvents,
  `must be at most ${maxEvents} items long`,
  z.array(subscribedType).min(1, 'must name at least one event type'),
)
  .overwrite((types) => [...new Set(types)])
  .meta({
    description:
      'The event types to deliver, or `*` for all, including future ones. Repeated types count once.',
    example: ['url.created', 'url.click_threshold'],
  });

export const description = displayText(500).nullish().meta({
  description: 'Notes for people who manage the webhooks. The receiver does not get them.',
  example: 'The CRM',
});

function filterOf<Value extends z.ZodType>(value: Value) {
  const rule = `must have 1 to ${maxFilterValues} values`;
  return atMost(maxFilterValues, rule, z.array(value).min(1, rule)).overwrite((values) => [
    ...new Set(values),
  ]);
}

const filterFields = z
  .strictObject({
    tags: filterOf(tagName)
      .nullish()
      .meta({ description: 'Only links with one of these tags.', example: ['launch'] }),
    domainIds: filterOf(uuid).nullish().describe('Only links on one of these custom domains.'),
    urlIds: filterOf(urlIdInput)
      .nullish()
      .meta({ description: 'Only these links.', example: [42] }),
  })
  .meta({ id: 'WebhookFiltersRequest', example: { tags: ['launch'] } });

export const filters = filterFields
  .nullish()
  .describe(
    'Delivers only events about the links that match all of these, at the time of the event. The events of a QR code have its link. `domain.verified` matches `domainIds` only. Other events without a link match no filter.',
  );

export const filtersRecord = z
  .object({
    tags: z.array(z.string()).optional().describe('Only links with one of these tags.'),
    domainIds: z.array(uuidText).optional(),
    urlIds: z.array(z.string()).optional(),
  })
  .meta({ id: 'WebhookFilters', example: { tags: ['launch'] } });

// RFC 9110, section 5.6.2.
const headerName = characters(maxHeaderNameLength, 1)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be an HTTP header name')
  .refine((name) => !isReserved(name.toLowerCase()), 'is set by the server')
  .meta({ example: 'X-Tenant' });

const headerValue = characters(maxHeaderValueLength, 1)
  .regex(
    /^[!-~](?:[ -~]*[!-~])?$/,
    'must consist of ASCII characters without control characters, and without a space at either end',
  )
  .meta({ example: 'Bearer my-token' });

const reservedHeaders: readonly string[] = [
  'connection',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
];
const reservedPrefixes = ['content-', 'proxy-', 'webhook-', 'x-service-'];

function isReserved(name: string): boolean {
  return reservedHeaders.includes(name) || reservedPrefixes.some((start) => name.startsWith(start));
}

const headersDescription = `Further headers of each delivery, such as the credentials that a gateway needs. The values are secrets, which no response contains. At most ${maxHeaders}, with ${maxHeadersLength} characters together. The server sets Host, Connection, User-Agent, Content-*, Proxy-*, X-Service-*, Webhook-* and the headers of the transport itself.`;

export const headers = atMost(
  maxHeaders,
  `must have at most ${maxHeaders} headers`,
  z.record(headerName, headerValue).superRefine((values, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    const names = Object.keys(values);
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
      refuse('must name each header once (case does not matter)');
    }
    if (Object.entries(values).flat().join('').length > maxHeadersLength) {
      refuse(`must have at most ${maxHeadersLength} characters in all names and values`);
    }
  }),
)
  .nullish()
  .meta({ description: headersDescription, example: { Authorization: 'Bearer my-token' } });
