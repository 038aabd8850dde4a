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
  { name: 'since', value: (replay) => replay.since },
  { name: 'until', value: (replay) => replay.until },
  { name: 'processed', value: (replay) => replay.processed },
  { name: 'total', value: (replay) => replay.total },
  { name: 'created', value: (replay) => replay.created },
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
    const path = '/api/v1/webhooks/{id}/replays';
    // The server retains no more than one page.
    const query = { limit: 100 };
    const page = await client.request('GET', path, { params: { id }, query }, request);
    const { items, ...head } = page;
    await context.output.list(groupIntoPages(items, 100), columns, head);
    return exitCodes.done;
  }
  const params = { id, replayId };
  const one = '/api/v1/webhooks/{id}/replays/{replayId}';
  const replay = cancel
    ? await client.request('POST', `${one}/cancel`, { params }, request)
    : await client.request('GET', one, { params }, request);
  await context.output.record(replay);
  return exitCodes.done;
}
