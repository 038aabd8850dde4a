import { linkReport } from '../../analytics/report-model.js';
import { showClicks } from '../../analytics/show-clicks.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import {
  addWindowOptions,
  readWindow,
  type WindowFlags,
  windowHelp,
} from '../analytics/window-options.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id>', 'id of the link');
  addWindowOptions(command)
    .addHelpText('after', windowHelp)
    .action((id: string, flags: WindowFlags) =>
      start((context) => showUrlClicks(context, id, flags)),
    );
};

async function showUrlClicks(context: Context, id: string, flags: WindowFlags): Promise<ExitCode> {
  const { io } = context;
  const query = readWindow(flags, io.now());
  const client = await context.client();
  const data = await client.urls.clicks(id, query, { signal: io.interrupt });
  await showClicks(context, data, linkReport(data, flags.groupBy));
  return exitCodes.done;
}
