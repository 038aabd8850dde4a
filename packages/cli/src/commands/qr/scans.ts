import { fetchScanReport } from '../../analytics/fetch-report.js';
import { showReport } from '../../analytics/show-report.js';
import type { DefineCommand } from '../../command.js';
import {
  addReportOptions,
  createReportRequest,
  type ReportFlags,
  windowHelp,
} from '../analytics/window-options.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id>', 'id of the QR code');
  addReportOptions(command, 'scans')
    .addHelpText('after', windowHelp)
    .action((id: string, flags: ReportFlags) =>
      start(async (context) => {
        const request = await createReportRequest(context, flags);
        return showReport(context, () => fetchScanReport(id, request()), flags.watch);
      }),
    );
};
