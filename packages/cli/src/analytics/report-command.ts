import { type FetchedReport, reportText } from '@shorty/report';
import { UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import { groupIntoPages } from '../group-into-pages.js';
import { inputName } from '../input.js';
import { reportWidth } from '../io.js';
import { columnsOf } from '../output.js';
import type { Named } from '../records.js';
import { watchReport } from './watch-report.js';
import { createReportRequest, type ReportFlags, reportHelp } from './window-options.js';

type Request = ReturnType<Awaited<ReturnType<typeof createReportRequest>>>;

interface Data {
  readonly timeseries: readonly object[];
}

/** Returns a command that prints the report of a window. `fetch` gets the argument, if there is one. */
export function reportCommand(
  row: Omit<CommandRow, 'run'>,
  fetch: (request: Request, record: Named) => Promise<FetchedReport<Data>>,
): CommandRow {
  const [argument = ''] = Object.keys(row.args ?? {});
  const name = inputName(argument);
  return {
    ...row,
    help: reportHelp,
    run: async (context, { [name]: value, ...input }: Readonly<Record<string, unknown>>) => {
      const flags = input as unknown as ReportFlags;
      const request = await createReportRequest(context, flags);
      return showReport(context, () => fetch(request(), value as Named), flags.watch);
    },
  };
}

/**
 * Prints clicks, scans or attempts in the requested format. ndjson and csv contain only the series.
 * `--fields` selects fields of the response in json and a table, and fields of a bucket otherwise. With
 * `watchSeconds`, fetches and prints the report again until Ctrl-C.
 */
async function showReport(
  context: Context,
  fetch: () => Promise<FetchedReport<Data>>,
  watchSeconds: number | undefined,
): Promise<ExitCode | undefined> {
  const { io, output } = context;
  if (watchSeconds !== undefined) {
    if (output.format !== 'table') {
      throw new UsageError(`--watch cannot be used with --output ${output.format}`);
    }
    if (output.fields) throw new UsageError('--watch cannot be used with --fields');
    return watchReport(context, watchSeconds, async () => (await fetch()).complete());
  }
  const { data, complete } = await fetch();
  if (output.format === 'json' || (output.format === 'table' && output.fields)) {
    await output.record(data);
  } else if (output.format === 'table') {
    const shape = { width: reportWidth(io.stdout), hasColor: output.hasColor };
    await output.write(reportText(await complete(), shape));
  } else {
    const [first = {}] = data.timeseries;
    const columns = columnsOf<object>(...(Object.keys(first) as never[]));
    await output.list(groupIntoPages(data.timeseries, 100), columns);
  }
  return undefined;
}
