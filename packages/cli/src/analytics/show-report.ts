import { reportText, type TextReport } from '@shorty/report';
import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { groupIntoPages } from '../group-into-pages.js';
import { reportWidth } from '../io.js';
import type { FetchedReport } from './fetch-report.js';
import { watchReport } from './watch-report.js';

interface Data {
  readonly timeseries: readonly object[];
}

/**
 * Prints clicks, scans or attempts in the requested format. ndjson and csv contain only the series.
 * `--fields` selects fields of the response in json and a table, and fields of a bucket otherwise. With
 * `watchSeconds`, fetches and prints the report again until Ctrl-C.
 */
export async function showReport(
  context: Context,
  fetch: () => Promise<FetchedReport<Data, TextReport>>,
  watchSeconds: number | undefined,
): Promise<ExitCode> {
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
    const [first] = data.timeseries;
    const names = Object.keys(first ?? {});
    const columns = names.map((name) => ({
      name,
      value: (bucket: object) => (bucket as Readonly<Record<string, unknown>>)[name],
    }));
    await output.list(groupIntoPages<object>(data.timeseries, 100), columns);
  }
  return exitCodes.done;
}
