import { formatJson } from '@shorty/report';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryListQuery,
  DeliveryStatus,
  EventTypeDetails,
  Webhook,
  WebhookCreateRequest,
  WebhookUpdateRequest,
} from '@shorty/sdk';
import { readInstant } from '../analytics/parse-time.js';
import { reportCommand } from '../analytics/report-command.js';
import { spanOptions, watchOption, windowHelp } from '../analytics/window-options.js';
import { UsageError } from '../cli-error.js';
import { type CommandRow, defined, type OptionRows, parseCount, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { ifMatchOption, withEtag } from '../etag.js';
import { clearFields, requireChange } from '../field-options.js';
import { findDomainId } from '../find-domain.js';
import { findLinkId } from '../find-link.js';
import { groupIntoPages } from '../group-into-pages.js';
import { columnsOf } from '../output.js';
import { offerScheme } from '../scheme.js';
import {
  checkEventType,
  type EventOptions,
  eventOptions,
  eventTypes,
  eventTypesHelp,
  readEvents,
  unknownEventType,
} from '../webhooks/event-types.js';
import { listen } from '../webhooks/listen.js';
import { headerHelp, readHeaders } from '../webhooks/read-headers.js';
import { statsReport } from '../webhooks/stats-report.js';
import { trigger } from '../webhooks/trigger.js';
import { verify } from '../webhooks/verify.js';
import { deleteCommand } from './change-command.js';
import { listCommand, listPages, type PageOptions, pageOptions } from './list-command.js';

const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
const id = { '<id>': 'id of the webhook' };
const clearable = ['description', 'filters', 'headers'];

/** The values of the options that `create` and `update` share. */
interface WebhookOptions extends EventOptions {
  readonly description?: string;
  readonly tag?: readonly string[];
  readonly domainId?: readonly string[];
  readonly urlId?: readonly string[];
  readonly header?: readonly string[];
}

interface UpdateInput extends WebhookOptions {
  readonly id: string;
  readonly url?: string;
  readonly active?: boolean;
  readonly inactive?: boolean;
  readonly clear?: readonly string[];
  readonly ifMatch?: string;
}

interface DeliveriesInput extends PageOptions {
  readonly id: string;
  readonly deliveryId?: string;
  readonly status?: DeliveryStatus;
  readonly event?: string;
  readonly eventId?: string;
  readonly urlId?: string;
  readonly since?: string;
  readonly until?: string;
}

const webhookOptions: OptionRows = {
  ...eventOptions,
  '--description <text>': 'notes for people who manage the webhooks',
  '--tag <tag>': repeatable('only events about links with this tag'),
  '--domain-id <domain>': repeatable('only events about links on this domain (hostname or id)'),
  '--url-id <link>': repeatable('only events about this link'),
  '--header <name=source>': repeatable('header of each delivery, from env:VARIABLE, @file or @-'),
};

export const webhookCommands: Readonly<Record<string, CommandRow>> = {
  create: {
    summary: 'Subscribe a receiver to events',
    examples: [
      'shorty webhooks create https://example.com/hook --event url.created',
      "shorty webhooks create https://example.com/hook --event '*,url.clicked'",
      'shorty webhooks create https://example.com/hook --all-events --tag spring',
      'shorty webhooks create https://example.com/hook --all-events \\\n  --header Authorization=env:CRM_TOKEN',
    ],
    args: { '<url>': 'http or https URL of the receiver' },
    options: { ...webhookOptions, '--inactive': 'create it paused' },
    help: `${eventTypesHelp}\n\n${headerHelp}`,
    prints: ['POST /api/v1/webhooks'],
    run: async (
      context,
      { url, inactive, ...options }: WebhookOptions & { url: string; inactive?: boolean },
    ) => {
      if (readEvents(options) === undefined) {
        throw new UsageError('--event or --all-events is required', 'see --help');
      }
      const { output, request } = context;
      const address = await offerScheme(url, 'url', context);
      const client = await context.client();
      const settings = await readSettings(context, options);
      const body = { url: address, ...settings, ...(inactive && { isActive: false }) };
      await output.record(await client.webhooks.create(body as WebhookCreateRequest, request));
      output.note(
        'store the secret now, it is shown only once; the receiver needs it to verify deliveries',
      );
    },
  },
  list: listCommand<Webhook>('webhook', {
    summary: 'List webhooks, newest first',
    examples: ['shorty webhooks list'],
    columns: columnsOf(
      ...(['id', 'isActive', 'disabledReason', 'failureRate', 'url', 'events'] as const),
      ...(['description', 'filters', 'headerNames'] as const),
    ),
    read: ({ webhooks }, query, request) => webhooks.list(query, request),
  }),
  get: {
    summary: 'Show a webhook',
    examples: [`shorty webhooks get ${uuid}`],
    args: id,
    run: async ({ client, output, request }, { id }: { id: string }) => {
      const { webhooks } = await client();
      await output.record(withEtag(await webhooks.get(id, request).withResponse()));
    },
  },
  update: {
    summary: 'Change, pause or resume a webhook',
    examples: [
      `shorty webhooks update ${uuid} --inactive`,
      `shorty webhooks update ${uuid} --tag spring`,
      `shorty webhooks update ${uuid} --clear filters`,
    ],
    args: id,
    options: {
      ...webhookOptions,
      '--url <url>': 'new URL of the receiver',
      '--active': { text: 'resume deliveries, oldest first', conflicts: 'inactive' },
      '--inactive': 'pause deliveries',
      '--clear <field>': repeatable(`field to clear: ${clearable.join(', ')}`),
      '--if-match <etag>': ifMatchOption(),
    },
    help: `${eventTypesHelp}\n\n${headerHelp}

New filters replace all filters of the webhook, and new headers all headers.`,
    prints: ['PATCH /api/v1/webhooks/{id}', 'etag'],
    run: async (context, input: UpdateInput) => {
      const { id, url, active, inactive, clear, ifMatch, ...options } = input;
      const patch: WebhookUpdateRequest = {
        ...(url !== undefined && { url: await offerScheme(url, '--url', context) }),
        ...((active || inactive) && { isActive: active === true }),
        ...(await readSettings(context, options)),
      };
      clearFields(patch, clear, clearable);
      requireChange(patch);
      const client = await context.client();
      const call = client.webhooks.update(id, patch, { ...context.request, ifMatch });
      await context.output.updated(id, patch, withEtag(await call.withResponse()));
    },
  },
  delete: deleteCommand(
    { noun: 'webhook', verb: 'Delete', isVersioned: true },
    {
      summary: 'Delete webhooks with their deliveries',
      examples: [`shorty webhooks delete ${uuid}`],
      args: { '<id...>': 'ids of the webhooks' },
    },
    ({ webhooks }, request) => ({
      find: (each) => webhooks.get(each, request),
      change: (each) => webhooks.delete(each, request),
    }),
  ),
  deliveries: {
    summary: 'List deliveries, or show one with its attempts',
    examples: [
      `shorty webhooks deliveries ${uuid}`,
      `shorty webhooks deliveries ${uuid} \\\n  --status failed --since 24h`,
    ],
    args: { ...id, '[delivery-id]': 'id of one delivery, to show its attempts' },
    options: {
      '--status <status>': {
        text: 'only deliveries with this status',
        choices: ['pending', 'delivered', 'failed'],
      },
      '--event <type>': 'only deliveries of this event type',
      '--event-id <id>': 'only deliveries of this event',
      '--url-id <link>': 'only events about this link (id, short URL, slug or short code)',
      '--since <time>': 'only deliveries created at or after it',
      '--until <time>': 'only deliveries created before it',
      ...pageOptions('delivery'),
    },
    help: windowHelp,
    run: async (context, { deliveryId, ...input }: DeliveriesInput) =>
      deliveryId === undefined
        ? listDeliveries(context, input)
        : showDelivery(context, input.id, deliveryId),
  },
  stats: reportCommand(
    {
      summary: 'Show success rate, response times and failures',
      examples: [
        `shorty webhooks stats ${uuid}`,
        `shorty webhooks stats ${uuid} \\\n  --since 24h --group-by hour --watch`,
      ],
      args: id,
      options: { ...spanOptions, ...watchOption },
    },
    async ({ client, query, groupBy, signal }, id) => {
      const data = await client.webhooks.stats(id, query, { signal });
      return { data, complete: async () => statsReport(data, groupBy) };
    },
  ),
  replay: {
    summary: 'Deliver one event again',
    examples: [`shorty webhooks replay ${uuid} \\\n  ${uuid.replace('0192', '0193')}`],
    args: { ...id, '<delivery-id>': 'id of the delivery to repeat' },
    prints: ['POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay'],
    run: async (
      { client, output, request },
      { id, deliveryId }: { id: string; deliveryId: string },
    ) => {
      await output.record(await (await client()).webhooks.replay(id, deliveryId, request));
    },
  },
  recover: {
    summary: 'Deliver failed events again',
    examples: [`shorty webhooks recover ${uuid} --since 2h`],
    args: id,
    options: {
      '--since <time>': {
        text: 'repeat failed deliveries created at or after it',
        isRequired: true,
      },
      '--until <time>': 'and before it (default: now)',
      '--event <type>': 'only events of this type',
    },
    help: `Creates a new delivery of each event whose latest delivery failed, oldest first,
up to 1,000. If more remain, repeat the command.

${windowHelp}`,
    prints: ['POST /api/v1/webhooks/{id}/recover'],
    run: async (
      { client, io, output, request },
      { id, ...input }: { id: string; since: string; until?: string; event?: string },
    ) => {
      const { event } = input;
      const body = defined({
        since: readInstant('--since', input.since, io.now()),
        until: readInstant('--until', input.until, io.now()),
        eventType: event === undefined ? undefined : checkEventType(event, '--event'),
      });
      const { webhooks } = await client();
      const recovered = await webhooks.recover(id, { ...body, since: body.since ?? '' }, request);
      await output.record(recovered);
      if (recovered.hasMore) output.note('more failed deliveries remain: repeat the command');
    },
  },
  'event-types': {
    summary: 'List event types, or show one with an example',
    examples: [
      'shorty webhooks event-types',
      'shorty webhooks event-types url.clicked',
      'shorty webhooks event-types url.clicked --json',
    ],
    args: { '[type]': 'event type, to show an example of its body' },
    help: `With --json, the output also has the JSON schema of the body.
A webhook gets a type with isOptIn only if it names it: * does not include it.`,
    run: showEventTypes,
  },
  test: {
    summary: 'Send an example event',
    examples: [`shorty webhooks test ${uuid} --type url.created`],
    args: id,
    options: {
      '--type <type>': {
        text: 'event type (default: the first type of the webhook)',
        choices: eventTypes,
      },
    },
    prints: ['POST /api/v1/webhooks/{id}/test'],
    run: async ({ client, output, request }, { id, type }: { id: string; type?: string }) => {
      const body = type === undefined ? {} : { type: checkEventType(type, '--type') };
      await output.record(await (await client()).webhooks.test(id, body, request));
    },
  },
  'rotate-secret': {
    summary: 'Replace the signing secret',
    examples: [
      `shorty webhooks rotate-secret ${uuid}`,
      `shorty webhooks rotate-secret ${uuid} \\\n  --expire-old-after 0`,
    ],
    args: id,
    options: {
      '--expire-old-after <seconds>': {
        text: 'end all old secrets within this time; 0: now (default: the replaced one signs for 24 hours)',
        parse: parseCount,
      },
    },
    prints: ['POST /api/v1/webhooks/{id}/rotate-secret'],
    run: async (
      { client, output, request },
      { id, expireOldAfter: seconds }: { id: string; expireOldAfter?: number },
    ) => {
      const { webhooks } = await client();
      const body = seconds === undefined ? undefined : { expireOldAfterSeconds: seconds };
      const rotated = await webhooks.rotateSecret(id, body, request);
      await output.record(rotated);
      const old =
        seconds === 0
          ? 'no old secret signs any more'
          : `the previous secret also signs until ${rotated.previousSecretExpiresAt}`;
      output.note(`store the secret now, it is shown only once; ${old}`);
    },
  },
  ...{ listen, trigger, verify },
};

type Settings = Partial<
  Pick<WebhookCreateRequest, 'events' | 'description' | 'filters' | 'headers'>
>;

/** Returns the request fields of the options that were set. */
async function readSettings(context: Context, options: WebhookOptions): Promise<Settings> {
  const { description, tag, domainId, urlId, header } = options;
  const events = readEvents(options);
  const headers = await readHeaders(context, header);
  const filters = defined({
    tags: tag,
    domainIds: domainId && (await findAll(context, domainId, findDomainId)),
    urlIds: urlId && (await findAll(context, urlId, findLinkId)),
  });
  const hasFilters = Object.keys(filters).length > 0;
  const settings = { events, description, filters: hasFilters ? filters : undefined, headers };
  return defined(settings) as object;
}

async function findAll(
  context: Context,
  names: readonly string[],
  find: typeof findLinkId,
): Promise<string[]> {
  const client = await context.client();
  return Promise.all(names.map((name) => find(client, name, context.request)));
}

async function listDeliveries(
  context: Context,
  { id, status, event, eventId, urlId, since, until, ...pages }: DeliveriesInput,
): Promise<undefined> {
  const { io, request } = context;
  const filter: DeliveryListQuery = defined({
    status,
    eventType: event === undefined ? undefined : checkEventType(event, '--event'),
    eventId,
    since: readInstant('--since', since, io.now()),
    until: readInstant('--until', until, io.now()),
  });
  const client = await context.client();
  if (urlId !== undefined) filter.urlId = await findLinkId(client, urlId, request);
  const columns = columnsOf<Delivery>(
    ...(['id', 'eventType', 'status', 'attempts', 'lastStatusCode'] as const),
    ...(['nextAttemptAt', 'lastError'] as const),
  );
  return listPages(context, pages, columns, (page) =>
    client.webhooks.deliveries(id, { ...filter, ...page }, request),
  );
}

async function showDelivery(
  { client, output, request }: Context,
  id: string,
  deliveryId: string,
): Promise<undefined> {
  const detail = await (await client()).webhooks.delivery(id, deliveryId, request);
  if (output.format !== 'table' || output.fields) {
    await output.record(detail);
    return;
  }
  const { attemptHistory, ...delivery } = detail;
  await output.record(delivery);
  await output.write('\n');
  const columns = columnsOf<DeliveryAttempt>(
    ...(['number', 'attemptedAt', 'durationMs', 'statusCode', 'error', 'responseBody'] as const),
  );
  await output.list(groupIntoPages(attemptHistory, 100), columns);
}

async function showEventTypes(
  { client, output, request }: Context,
  { type }: { readonly type?: string },
): Promise<undefined> {
  const { items } = await (await client()).webhooks.eventTypes(request);
  if (type === undefined) {
    const columns = columnsOf<EventTypeDetails>('type', 'isOptIn', 'description');
    await output.list(groupIntoPages(items, 100), columns);
    return;
  }
  const found = items.find((item) => item.type === type);
  if (!found) {
    const known = items.map((item) => item.type);
    throw unknownEventType(type, known);
  }
  if (output.format !== 'table' || output.fields) {
    await output.record(found);
    return;
  }
  const { schema: _, example, ...details } = found;
  await output.record(details);
  await output.write(`\n${formatJson(example, 2)}\n`);
}
