import { showReport } from '../../analytics/show-report.js';
import type { DefineCommand } from '../../command.js';
import { statsReport } from '../../webhooks/stats-report.js';
import {
  addSpanOptions,
  addWatchOption,
  createReportRequest,
  type ReportFlags,
  windowHelp,
} from '../analytics/window-options.js';

export const define: DefineCommand = (command, start) => {
  addWatchOption(addSpanOptions(command.argument('<id>', 'id of the webhook')))
    .addHelpText('after', windowHelp)
    .action((id: string, flags: ReportFlags) =>
      start(async (context) => {
        const request = await createReportRequest(context, flags);
        const fetch = async () => {
          const { client, query, groupBy, signal } = request();
          const data = await client.webhooks.stats(id, query, { signal });
          return { data, complete: async () => statsReport(data, groupBy) };
        };
        return showReport(context, fetch, flags.watch);
      }),
    );
};
