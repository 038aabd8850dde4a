import type { DefineCommand } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';

export const define: DefineCommand = (command, start) => {
  command.action(() => start(showUsage));
};

async function showUsage(context: Context): Promise<ExitCode> {
  const client = await context.client();
  const usage = await client.usage.get({ signal: context.io.interrupt });
  const { period, plan, links } = usage;
  if (context.output.format === 'json' || context.output.format === 'ndjson') {
    await context.output.record(usage);
  } else {
    await context.output.record({
      period,
      plan,
      linksUsed: links.used,
      linksIncluded: links.included ?? 'unlimited',
    });
  }
  return exitCodes.done;
}
