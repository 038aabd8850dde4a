import { fetchLinkReport } from '../../analytics/fetch-report.js';
import { showReport } from '../../analytics/show-report.js';
import type { DefineCommand } from '../../command.js';
import {
  addReportOptions,
  createReportRequest,
  type ReportFlags,
  windowHelp,
} from '../analytics/window-options.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<link>', 'id, short URL, slug or code of the link');
  addReportOptions(command, 'link')
    .addHelpText('after', windowHelp)
    .action((link: string, flags: ReportFlags) =>
      start(async (context) => {
        const request = await createReportRequest(context, flags);
        return showReport(context, () => fetchLinkReport(link, request()), flags.watch);
      }),
    );
};
