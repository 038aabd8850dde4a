import { type FetchedReport, reportText } from '@shorty/report';
import type { CommandRow } from '../command.js';
import { describeCommand } from '../commands/request-command.js';
import type { Context } from '../context.js';
import { fieldsOf } from '../format-rows.js';
import { inputName } from '../input.js';
import { reportWidth } from '../io.js';
import type { Named } from '../records.js';
import {
  createReportRequest,
  type ReportOperation,
  reportHelp,
  reportOptions,
  type WindowFlags,
} from './window-options.js';

type Request = Awaited<ReturnType<typeof createReportRequest>>;

interface Data {
  readonly timeseries: readonly object[];
}

/** Returns a command that prints the report of a window. `fetch` gets the argument, if there is one. */
export function reportCommand(
  id: ReportOperation,
  fetch: (request: Request, record: Named) => Promise<FetchedReport<Data>>,
  examples: readonly string[],
): CommandRow {
  const row = describeCommand(id, { examples, options: reportOptions(id), help: reportHelp });
  const [argument = ''] = Object.keys(row.args);
  const name = inputName(argument);
  return {
    ...row,
    run: async (context, { [name]: value, ...input }: Readonly<Record<string, unknown>>) => {
      const request = await createReportRequest(context, input as unknown as WindowFlags);
      return showReport(context, await fetch(request, value as Named));
    },
  };
}

/**
 * Prints clicks, scans or attempts in the requested format. ndjson and csv contain only the series.
 * `--fields` selects fields of the response in json and a table, and fields of a bucket otherwise.
 */
async function showReport({ io, output }: Context, { data, complete }: FetchedReport<Data>) {
  if (output.format === 'json' || (output.format === 'table' && output.fields)) {
    await output.record(data);
  } else if (output.format === 'table') {
    const shape = { width: reportWidth(io.stdout), hasColor: output.hasColor };
    await output.write(reportText(await complete(), shape));
  } else {
    const [first = {}] = data.timeseries;
    await output.list([data.timeseries], fieldsOf(first));
  }
}
