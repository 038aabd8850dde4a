import { overviewReport } from '../../analytics/report-model.js';
import { showClicks } from '../../analytics/show-clicks.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { addWindowOptions, readWindow, type WindowFlags, windowHelp } from './window-options.js';

export const define: DefineCommand = (command, start) => {
  addWindowOptions(command)
    .addHelpText('after', windowHelp)
    .action((flags: WindowFlags) => start((context) => showOverview(context, flags)));
};

async function showOverview(context: Context, flags: WindowFlags): Promise<ExitCode> {
  const { io } = context;
  const query = readWindow(flags, io.now());
  const client = await context.client();
  const data = await client.analytics.overview(query, { signal: io.interrupt });
  await showClicks(context, data, overviewReport(data, flags.groupBy));
  return exitCodes.done;
}
