import type { ScanBucket } from '@shorty/sdk';
import { scanReport } from '../../analytics/report-model.js';
import { reportText } from '../../analytics/report-text.js';
import { reportWidth } from '../../analytics/report-width.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Column } from '../../output.js';
import {
  addWindowOptions,
  readWindow,
  type WindowFlags,
  windowHelp,
} from '../analytics/window-options.js';

const columns: readonly Column<ScanBucket>[] = [
  { name: 'bucket', value: ({ bucket }) => bucket },
  { name: 'scans', value: ({ scans }) => scans },
  { name: 'uniques', value: ({ uniques }) => uniques },
];

export const define: DefineCommand = (command, start) => {
  command.argument('<id>', 'id of the QR code');
  addWindowOptions(command)
    .addHelpText('after', windowHelp)
    .action((id: string, flags: WindowFlags) => start((context) => showScans(context, id, flags)));
};

async function showScans(context: Context, id: string, flags: WindowFlags): Promise<ExitCode> {
  const { io, output } = context;
  const query = readWindow(flags, io.now());
  const client = await context.client();
  const data = await client.qr.scans(id, query, { signal: io.interrupt });
  if (output.format === 'json') await output.record(data);
  else if (output.format !== 'table')
    await output.list(groupIntoPages(data.timeseries, 100), columns);
  else {
    const shape = { width: reportWidth(io.stdout), hasColor: output.hasColor };
    await output.write(reportText(scanReport(data, flags.groupBy), shape));
  }
  return exitCodes.done;
}
