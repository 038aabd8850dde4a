import { fetchOverviewReport } from '../../analytics/fetch-report.js';
import { showReport } from '../../analytics/show-report.js';
import type { DefineCommand } from '../../command.js';
import {
  addReportOptions,
  createReportRequest,
  type ReportFlags,
  windowHelp,
} from './window-options.js';

export const define: DefineCommand = (command, start) => {
  addReportOptions(command, 'links')
    .addHelpText('after', windowHelp)
    .action((flags: ReportFlags) =>
      start(async (context) => {
        const request = await createReportRequest(context, flags);
        return showReport(context, () => fetchOverviewReport(request()), flags.watch);
      }),
    );
};
