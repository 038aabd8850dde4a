import type { Replay } from '@shorty/sdk';
import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Column } from '../../output.js';

interface ReplaysOptions {
  readonly cancel?: boolean;
}

const columns: readonly Column<Replay>[] = [
  { name: 'id', value: (replay) => replay.id, isWhole: true },
  { name: 'state', value: (replay) => replay.state },
  { name: 'processed', value: (replay) => replay.processed },
  { name: 'total', value: (replay) => replay.total },
  { name: 'created', value: (replay) => replay.created },
  { name: 'since', value: (replay) => replay.since },
  { name: 'until', value: (replay) => replay.until },
];

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .argument('[replay-id]', 'id of one replay, to show its progress')
    .option('--cancel', 'cancel this replay')
    .action((id: string, replayId: string | undefined, options: ReplaysOptions) =>
      start((context) => showReplays(context, id, replayId, options)),
    );
};

async function showReplays(
  context: Context,
  id: string,
  replayId: string | undefined,
  { cancel }: ReplaysOptions,
): Promise<ExitCode> {
  if (cancel && replayId === undefined) {
    throw new UsageError('--cancel needs the id of a replay', 'see --help');
  }
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  if (replayId === undefined) {
    // The server retains no more than one page.
    const { items, ...head } = await client.webhooks.listReplays(id, { limit: 100 }, request);
    await context.output.list(groupIntoPages(items, 100), columns, head);
    return exitCodes.done;
  }
  const { webhooks } = client;
  await context.output.record(
    cancel
      ? await webhooks.cancelReplay(id, replayId, request)
      : await webhooks.getReplay(id, replayId, request),
  );
  return exitCodes.done;
}
