import { escapeJson, formatCount } from '@shorty/report';
import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { readAhead, readTexts } from '../../read-pages.js';
import { ReplacementFile } from '../../replacement-file.js';
import {
  addVisitOptions,
  createReportRequest,
  type WindowFlags,
  windowHelp,
} from '../analytics/window-options.js';

interface VisitOptions extends Omit<WindowFlags, 'groupBy' | 'limit'> {
  readonly out?: string;
}

export const define: DefineCommand = (command, start) => {
  addVisitOptions(command)
    .option('--out <file>', 'write to this file instead of stdout, and replace it at the end')
    .addHelpText('after', help)
    .action((options: VisitOptions) => start((context) => exportVisits(context, options)));
};

const help = `
Writes NDJSON: one JSON object for each visit of a person, oldest first. Nothing
in it identifies a visitor. Days that were pruned after the retention period
have no single visits.
${windowHelp}`;

async function exportVisits(context: Context, { out, ...flags }: VisitOptions): Promise<ExitCode> {
  const { output } = context;
  if (output.fields) {
    throw new UsageError('--fields does not apply to urls visits, which writes all fields');
  }
  if (output.format === 'csv') {
    throw new UsageError('--output csv does not apply to urls visits, which writes NDJSON');
  }
  const read = await createReportRequest(context, { ...flags, groupBy: 'day' });
  const { client, query, signal } = read();
  const { groupBy: _, ...filters } = query;
  const file = out === undefined || out === '-' ? undefined : ReplacementFile.open(out);
  let total = 0;
  try {
    const pages = readTexts((position) =>
      client.analytics.visits({ ...filters, ...position }, { signal }),
    );
    for await (const { text, count } of readAhead(pages)) {
      if (!file && output.isClosed) break;
      if (file) file.write(escapeJson(text));
      else await output.write(escapeJson(text));
      total += count;
    }
    file?.commit();
  } finally {
    file?.close();
  }
  if (file) output.note(`${formatCount(total, 'visit')} written to ${out}`);
  return exitCodes.done;
}
