import type { Delivery, DeliveryAttempt, DeliveryStatus } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

interface DeliveriesOptions extends PageOptions {
  readonly status?: DeliveryStatus;
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
    );
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
  { status, ...pages }: DeliveriesOptions,
): Promise<ExitCode> {
  const client = await context.client();
  const filter = status === undefined ? {} : { status };
  await listPages(context, pages, columns, (page) =>
    client.webhooks.deliveries(id, { ...filter, ...page }, { signal: context.io.interrupt }),
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
