import { readTime } from '../../analytics/parse-time.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { windowHelp } from '../analytics/window-options.js';
import { checkEventType } from './event-options.js';

interface RecoverOptions {
  readonly since: string;
  readonly until?: string;
  readonly event?: string;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id>', 'id of the webhook')
    .requiredOption('--since <time>', 'repeat failed deliveries created at or after it')
    .option('--until <time>', 'and before it (default: now)')
    .option('--event <type>', 'only events of this type')
    .addHelpText('after', help)
    .action((id: string, options: RecoverOptions) =>
      start((context) => recover(context, id, options)),
    );
};

const help = `
Creates a new delivery of each event whose latest delivery failed, oldest first,
up to 1,000. If more remain, repeat the command.
${windowHelp}`;

async function recover(
  context: Context,
  id: string,
  { since, until, event }: RecoverOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const timeOf = (flag: string, text: string) =>
    new Date(readTime(flag, text, io.now())).toISOString();
  const body = {
    since: timeOf('--since', since),
    ...(until !== undefined && { until: timeOf('--until', until) }),
    ...(event !== undefined && { eventType: checkEventType(event, '--event') }),
  };
  const client = await context.client();
  const recovered = await client.webhooks.recover(id, body, { signal: io.interrupt });
  await output.record(recovered);
  if (recovered.hasMore) output.note('more failed deliveries remain: repeat the command');
  return exitCodes.done;
}
