import { formatJson } from '@shorty/report';
import type { Delivery, Recovered, Webhook, WebhookSecret } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import {
  type CommandRow,
  collect,
  defined,
  type OptionRows,
  parseCount,
  repeatable,
} from '../command.js';
import type { Context } from '../context.js';
import { fieldOptions } from '../field-options.js';
import { columnsOf } from '../format-rows.js';
import { withIds } from '../input.js';
import { offerScheme } from '../prompt.js';
import { type Named, namingSeveral } from '../records.js';
import { eventTypeFinder, eventTypesHelp, splitTypes } from '../webhooks/event-types.js';
import { listen } from '../webhooks/listen.js';
import { headerHelp, readHeaders } from '../webhooks/read-headers.js';
import { trigger } from '../webhooks/trigger.js';
import { verify } from '../webhooks/verify.js';
import { changeCommand } from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';

const url = 'https://example.com/hook';
const uuid = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';

/** The values of the options that `create` and `update` share. */
interface WebhookOptions {
  readonly event?: readonly string[];
  readonly allEvents?: boolean;
  readonly url?: string;
  readonly description?: string;
  readonly tag?: readonly string[];
  readonly domainId?: readonly Named[];
  readonly urlId?: readonly Named[];
  readonly header?: readonly string[];
  readonly paused?: boolean;
}

const webhookOptions: OptionRows = {
  '--event <type>': {
    text: 'event type to deliver; repeatable, or separated by commas',
    parse: collect,
    conflicts: 'allEvents',
  },
  '--all-events': 'deliver every type but url.clicked, also future ones',
  '--description <text>': 'what it is for; the webhook can be named by it',
  '--tag <tag>': repeatable('only events about links with this tag'),
  '--domain-id <domain>': namingSeveral('domain', 'only events about links on this domain'),
  '--url-id <link>': namingSeveral('link', 'only events about this link'),
  '--header <name=source>': repeatable('header of each delivery, from env:VARIABLE, @file or @-'),
};

const timeHelp = `A time is a timestamp (2030-11-01T00:00:00Z), a date (2030-11-01: its start in
UTC), or a duration before now (24h, 7d, 12w).`;

const eventOption: OptionRows = {
  '--event <type>': { text: 'only events of this type', field: 'eventType' },
};

const storeSecret = 'store the secret now, it is shown only once';

const deliveryList = listCommand<Delivery>('listDeliveries', {
  summary: 'List deliveries, or show one with its attempts',
  examples: [`shorty webhooks deliveries ${url} \\\n  ${uuid}`],
  args: { '[delivery-id]': 'id of one delivery, to show its attempts' },
  columns: [
    ...(['id', 'eventType', 'status', 'lastError', 'attempts'] as const),
    ...(['lastStatusCode', 'nextAttemptAt'] as const),
  ],
  options: { ...eventOption, ...fieldOptions('listDeliveries', ['eventType']) },
  help: timeHelp,
});
const oneDelivery = requestCommand('getDelivery');

export const webhookCommands: Readonly<Record<string, CommandRow>> = {
  create: requestCommand('createWebhook', {
    examples: [
      `shorty webhooks create ${url} --event '*,url.clicked'`,
      `shorty webhooks create ${url} --all-events \\\n  --header Authorization=env:CRM_TOKEN`,
    ],
    args: { '<url>': 'http or https URL of the receiver' },
    options: { ...webhookOptions, '--paused': 'create it paused' },
    help: `${eventTypesHelp}\n\n${headerHelp}`,
    fields: (options: WebhookOptions, context) => {
      if (!options.allEvents && splitTypes(options.event).length === 0) {
        throw new UsageError('--event or --all-events is required', 'see --help');
      }
      return readSettings(options, context);
    },
    note: `${storeSecret}; the receiver needs it to verify deliveries`,
  }),
  list: listCommand<Webhook>('listWebhooks', {
    examples: ['shorty webhooks list'],
    columns: [
      ...(['url', 'description', 'isActive', 'events', 'disabledReason'] as const),
      ...(['failureRate', 'filters', 'headerNames', 'id'] as const),
    ],
  }),
  get: requestCommand('getWebhook', { examples: [`shorty webhooks get ${url}`] }),
  update: requestCommand('updateWebhook', {
    examples: [`shorty webhooks update ${url} --clear filters`],
    clears: true,
    options: {
      ...webhookOptions,
      '--url <url>': 'new URL of the receiver',
      '--paused': 'pause it: its deliveries wait',
      '--no-paused': 'resume it, with what waited, oldest first',
    },
    help: `${eventTypesHelp}\n\n${headerHelp}

New filters replace all filters of the webhook, and new headers all headers.`,
    fields: readSettings,
  }),
  delete: changeCommand('Delete', 'webhook', 'deleteWebhook', {
    summary: 'Delete webhooks with their deliveries',
    examples: [`shorty webhooks delete ${url}`],
  }),
  deliveries: {
    ...deliveryList,
    run: (context, { deliveryId, ...input }: { deliveryId?: string; webhook: Named }) =>
      deliveryId
        ? oneDelivery.run(context, { webhook: input.webhook, deliveryId } as never)
        : deliveryList.run(context, input as never),
  },
  stats: requestCommand('getWebhookStats', {
    examples: [`shorty webhooks stats ${url} --since 24h --group-by hour`],
    help: timeHelp,
  }),
  replay: requestCommand('replayDelivery', {
    examples: [`shorty webhooks replay ${url} \\\n  ${uuid}`],
    args: { '<delivery-id>': 'id of the delivery to repeat' },
  }),
  recover: requestCommand<Recovered>('recoverDeliveries', {
    examples: [`shorty webhooks recover ${url} --since 2h`],
    options: { ...fieldOptions('recoverDeliveries', ['eventType']), ...eventOption },
    help: `Creates a new delivery of each event whose latest delivery failed, oldest first,
up to 1,000. If more remain, repeat the command.

${timeHelp}`,
    note: ({ hasMore }) =>
      hasMore ? 'more failed deliveries remain: repeat the command' : undefined,
  }),
  'event-types': {
    summary: 'List event types, or show one with an example',
    examples: ['shorty webhooks event-types url.clicked'],
    args: { '[type]': 'event type, to show an example of its body' },
    help: `With --json, the output also has the JSON schema of the body.
A webhook gets a type with isOptIn only if it names it: * does not include it.`,
    run: showEventTypes,
  },
  test: requestCommand('testWebhook', {
    examples: [`shorty webhooks test ${url} --type url.created`],
    options: { '--type <type>': 'event type (default: the first type of the webhook)' },
  }),
  'rotate-secret': requestCommand<WebhookSecret>('rotateWebhookSecret', {
    examples: [`shorty webhooks rotate-secret ${url} --expire-old-after 0`],
    options: {
      '--expire-old-after <seconds>': {
        text: 'end all old secrets within this time; 0: now (default: the replaced one signs for 24 hours)',
        parse: parseCount,
        field: 'expireOldAfterSeconds',
      },
    },
    note: ({ previousSecretExpiresAt }, input: { expireOldAfterSeconds?: number }) => {
      const old =
        input.expireOldAfterSeconds === 0
          ? 'no old secret signs any more'
          : `the previous secret also signs until ${previousSecretExpiresAt}`;
      return `${storeSecret}; ${old}`;
    },
  }),
  ...{ listen, trigger, verify },
};

/** Returns the request fields of the options that were set. */
async function readSettings(options: WebhookOptions, context: Context): Promise<object> {
  const { url, event, allEvents, description, tag, domainId, urlId, header, paused } = options;
  const filters = defined(await withIds({ tags: tag, domainIds: domainId, urlIds: urlId }));
  return defined({
    url: url === undefined ? undefined : await offerScheme(url, 'url', context),
    events: allEvents ? ['*'] : event && splitTypes(event),
    description,
    filters: Object.keys(filters).length > 0 ? filters : undefined,
    headers: await readHeaders(context, header),
    isActive: paused === undefined ? undefined : !paused,
  });
}

async function showEventTypes(context: Context, { type }: { readonly type?: string }) {
  const { client, output, request } = context;
  if (type === undefined) {
    const { items } = await (await client()).webhooks.eventTypes(request);
    return output.list([items], columnsOf('type', 'isOptIn', 'description'));
  }
  const found = (await eventTypeFinder(context))(type);
  if (!output.isForPeople) return output.record(found);
  const { schema: _, example, ...details } = found;
  await output.record(details);
  await output.write(`\n${formatJson(example, 2)}\n`);
}
