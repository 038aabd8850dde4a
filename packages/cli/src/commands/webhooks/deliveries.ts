import type { Delivery, DeliveryAttempt, DeliveryListQuery, DeliveryStatus } from '@shorty/sdk';
import { Option } from 'commander';
import { readTime } from '../../analytics/parse-time.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLinkId } from '../../find-link.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Column } from '../../output.js';

import { windowHelp } from '../analytics/window-options.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

import { checkEventType } from './event-options.js';

interface DeliveriesOptions extends PageOptions {
  readonly status?: DeliveryStatus;
  readonly event?: string;
  readonly eventId?: string;
  readonly urlId?: string;
  readonly since?: string;
  readonly until?: string;
}

const statuses = ['pending', 'delivered', 'failed'] as const satisfies readonly DeliveryStatus[];

const columns: readonly Column<Delivery>[] = [
  { name: 'id', value: (delivery) => delivery.id, isWhole: true },
  { name: 'eventType', value: (delivery) => delivery.eventType },
  { name: 'status', value: (delivery) => delivery.status },
  { name: 'attempts', value: (delivery) => delivery.attempts },
  { name: 'lastStatusCode', value: (delivery) => delivery.lastStatusCode },
  { name: 'nextAttemptAt', value: (delivery) => delivery.nextAttemptAt },
  { name: 'lastError', value: (delivery) => delivery.lastError },
];

const attemptColumns: readonly Column<DeliveryAttempt>[] = [
  { name: 'number', value: (attempt) => attempt.number },
  { name: 'attemptedAt', value: (attempt) => attempt.attemptedAt },
  { name: 'durationMs', value: (attempt) => attempt.durationMs },
  { name: 'statusCode', value: (attempt) => attempt.statusCode },
  { name: 'error', value: (attempt) => attempt.error },
  { name: 'responseBody', value: (attempt) => attempt.responseBody },
];

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .argument('[delivery-id]', 'id of one delivery, to show its attempts')
    .addOption(
      new Option('--status <status>', 'only deliveries with this status').choices(statuses),
    )
    .option('--event <type>', 'only deliveries of this event type')
    .option('--event-id <id>', 'only deliveries of this event')
    .option('--url-id <link>', 'only events about this link (id, short URL, slug or short code)')
    .option('--since <time>', 'only deliveries created at or after it')
    .option('--until <time>', 'only deliveries created before it')
    .addHelpText('after', windowHelp);
  addPageOptions(command, 'delivery').action(
    (id: string, deliveryId: string | undefined, options: DeliveriesOptions) =>
      start((context) =>
        deliveryId === undefined
          ? listDeliveries(context, id, options)
          : showDelivery(context, id, deliveryId),
      ),
  );
};

async function listDeliveries(
  context: Context,
  id: string,
  { status, event, eventId, urlId, since, until, ...pages }: DeliveriesOptions,
): Promise<ExitCode> {
  const now = context.io.now();
  const ofTime = (flag: '--since' | '--until', text: string) =>
    new Date(readTime(flag, text, now)).toISOString();
  const filter: DeliveryListQuery = {
    ...(status === undefined ? {} : { status }),
    ...(event === undefined ? {} : { eventType: checkEventType(event, '--event') }),
    ...(eventId === undefined ? {} : { eventId }),
    ...(since === undefined ? {} : { since: ofTime('--since', since) }),
    ...(until === undefined ? {} : { until: ofTime('--until', until) }),
  };
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  if (urlId !== undefined) filter.urlId = await findLinkId(client, urlId, request);
  await listPages(context, pages, columns, (page) =>
    client.webhooks.deliveries(id, { ...filter, ...page }, request),
  );
  return exitCodes.done;
}

async function showDelivery(context: Context, id: string, deliveryId: string): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  const detail = await client.webhooks.delivery(id, deliveryId, { signal: io.interrupt });
  if (output.format !== 'table' || output.fields) {
    await output.record(detail);
    return exitCodes.done;
  }
  const { attemptHistory, ...delivery } = detail;
  await output.record(delivery);
  await output.write('\n');
  await output.list(groupIntoPages(attemptHistory, 100), attemptColumns);
  return exitCodes.done;
}
