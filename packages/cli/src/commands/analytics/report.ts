import { extname } from 'node:path';
import { formatJson, type Report, reportHtml, reportText } from '@shorty/report';
import { fetchLinkReport, fetchOverviewReport } from '../../analytics/fetch-report.js';
import { reportCsv } from '../../analytics/report-csv.js';
import { watchReport } from '../../analytics/watch-report.js';
import { UsageError } from '../../cli-error.js';
import { type DefineCommand, formatOption } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { reportWidth } from '../../io.js';
import { resolveFormat } from '../../output.js';
import { ReplacementFile } from '../../replacement-file.js';
import {
  addReportOptions,
  createReportRequest,
  type ReportFlags,
  windowHelp,
} from './window-options.js';

interface ReportOptions extends ReportFlags {
  readonly out?: string;
}

const reportFormats = ['terminal', 'html', 'csv', 'json'] as const;
type ReportFormat = (typeof reportFormats)[number];

export const define: DefineCommand = (command, start) => {
  command
    .argument('[link]', 'id, short URL, slug or code of a link (default: all links)')
    .addOption(formatOption(reportFormats, 'report format'));
  addReportOptions(command, 'links')
    .option('--out <file>', 'write to this file; .html, .csv and .json select the format')
    .addHelpText('after', windowHelp + help)
    .action((link: string | undefined, options: ReportOptions) =>
      start((context) => makeReport(context, link, options), { ownsOutput: true }),
    );
};

const help = `

The html format is one self-contained file. The csv format has the columns
section, name, detail, clicks and uniques.`;

async function makeReport(
  context: Context,
  link: string | undefined,
  options: ReportOptions,
): Promise<ExitCode> {
  const { flags, io, output } = context;
  const { watch, out } = options;
  const chosen = flags.json || flags.output !== undefined;
  const format = resolveFormat(chosen ? flags : { output: formatOfFile(out) }, reportFormats);
  if (watch !== undefined && (format !== 'terminal' || out !== undefined)) {
    throw new UsageError('--watch cannot be used with --out or another format');
  }
  if (link !== undefined) {
    const option = (['tag', 'domainId', 'link'] as const).find((name) => options[name]);
    const flag = option === 'domainId' ? '--domain-id' : `--${option}`;
    if (option) throw new UsageError(`${flag} cannot be used in the report of one link`);
  }
  const request = await createReportRequest(context, options);
  const fetch = () =>
    link === undefined ? fetchOverviewReport(request()) : fetchLinkReport(link, request());
  if (watch !== undefined) {
    return watchReport(context, watch, async () => (await fetch()).complete());
  }
  const { data, complete } = await fetch();
  const text =
    format === 'json'
      ? `${formatJson(data, 2)}\n`
      : renderReport(context, await complete(), format, out === undefined);
  if (out === undefined) {
    await output.write(text);
    return exitCodes.done;
  }
  if (io.interrupt.aborted) throw io.interrupt.reason;
  const file = ReplacementFile.open(out);
  try {
    file.write(text);
    file.commit();
  } finally {
    file.close();
  }
  output.note(`report written to ${out}`);
  return exitCodes.done;
}

/** Returns the report format of a file name, or undefined if its extension is not one. */
function formatOfFile(path = ''): ReportFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return reportFormats.find((format) => format === extension);
}

function renderReport(
  { io, output }: Context,
  report: Report,
  format: Exclude<ReportFormat, 'json'>,
  isForStdout: boolean,
): string {
  if (format === 'html') return reportHtml(report, io.now());
  if (format === 'csv') return reportCsv(report);
  const width = reportWidth(isForStdout ? io.stdout : {});
  return reportText(report, { width, hasColor: isForStdout && output.hasColor });
}
