import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplayRequest } from '@shorty/sdk';
import { Option } from 'commander';
import { readTime } from '../../analytics/parse-time.js';
import { UsageError } from '../../cli-error.js';
import { collect, type DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatCount } from '../../format.js';
import { LiveLines } from '../../live-lines.js';
import { windowHelp } from '../analytics/window-options.js';
import { checkEventType } from './event-options.js';

interface ReplayOptions {
  readonly since?: string;
  readonly until?: string;
  readonly status?: 'failed' | 'delivered' | 'all';
  readonly event?: readonly string[];
  readonly wait?: boolean;
}

const pollEveryMs = 1_000;

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .argument('[delivery-id]', 'id of one delivery to repeat')
    .option('--since <time>', 'repeat all deliveries created at or after it')
    .option('--until <time>', 'and before it (default: now)')
    .addOption(
      new Option('--status <status>', 'status of the deliveries (default: failed)').choices([
        'failed',
        'delivered',
        'all',
      ]),
    )
    .addOption(
      new Option('--event <type>', 'event type; repeatable, or separated by commas').argParser(
        collect,
      ),
    )
    .option('--wait', 'wait until all new deliveries are created')
    .addHelpText('after', windowHelp)
    .action((id: string, deliveryId: string | undefined, options: ReplayOptions) =>
      start((context) => replay(context, id, deliveryId, options)),
    );
};

async function replay(
  context: Context,
  id: string,
  deliveryId: string | undefined,
  options: ReplayOptions,
): Promise<ExitCode> {
  if ((deliveryId === undefined) === (options.since === undefined)) {
    throw new UsageError('give either a delivery id or --since', 'see --help');
  }
  if (deliveryId === undefined) return startReplay(context, id, options);
  const [unused] = Object.keys(options);
  if (unused) throw new UsageError(`--${unused} does not apply to one delivery`);
  return replayDelivery(context, id, deliveryId);
}

/** Delivers the event of one delivery again. */
export async function replayDelivery(
  context: Context,
  id: string,
  deliveryId: string,
): Promise<ExitCode> {
  const client = await context.client();
  const signal = context.io.interrupt;
  await context.output.record(await client.webhooks.replay(id, deliveryId, { signal }));
  return exitCodes.done;
}

async function startReplay(
  context: Context,
  id: string,
  { since = '', until, status, event, wait }: ReplayOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const now = io.now();
  const eventTypes = event
    ?.flatMap((text) => text.split(','))
    .map((text) => checkEventType(text.trim(), '--event'));
  const body: ReplayRequest = {
    since: new Date(readTime('--since', since, now)).toISOString(),
    ...(until === undefined
      ? {}
      : { until: new Date(readTime('--until', until, now)).toISOString() }),
    ...(status === undefined ? {} : { status }),
    ...(eventTypes === undefined ? {} : { eventTypes }),
  };
  const client = await context.client();
  const request = { signal: io.interrupt };
  let job = await client.webhooks.createReplay(id, body, request);
  const lines = new LiveLines(context);
  while (wait && job.state === 'running') {
    const { processed, total } = job;
    lines.show(() => [`${processed} of ${formatCount(total, 'delivery', 'deliveries')} processed`]);
    await sleep(pollEveryMs, undefined, request);
    job = await client.webhooks.getReplay(id, job.id, request);
  }
  lines.clear();
  await output.record(job);
  return exitCodes.done;
}
