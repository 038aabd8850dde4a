import { reportCsv } from '../../analytics/report-csv.js';
import { reportHtml } from '../../analytics/report-html.js';
import { linkReport, overviewReport, type Report } from '../../analytics/report-model.js';
import { reportWidth } from '../../analytics/report-width.js';
import { type DefineCommand, formatOption } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatJson } from '../../format.js';
import { resolveFormat } from '../../output.js';
import { ReplacementFile } from '../../replacement-file.js';
import { addWindowOptions, readWindow, type WindowFlags, windowHelp } from './window-options.js';

interface ReportOptions extends WindowFlags {
  readonly out?: string;
}

const reportFormats = ['terminal', 'html', 'csv', 'json'] as const;
type ReportFormat = (typeof reportFormats)[number];

export const define: DefineCommand = (command, start) => {
  command
    .argument('[url-id]', 'id of a link (default: all links)')
    .addOption(formatOption(reportFormats, 'report format'));
  addWindowOptions(command)
    .option('--out <file>', 'write to this file instead of stdout')
    .addHelpText('after', windowHelp + help)
    .action((urlId: string | undefined, options: ReportOptions) =>
      start((context) => makeReport(context, urlId, options), { ownsOutput: true }),
    );
};

const help = `

The html format is one self-contained file. The csv format has the columns
section, name, detail, clicks and uniques.

  shorty analytics report --since 7d --group-by hour
  shorty analytics report 42 --output html --out report.html`;

async function makeReport(
  context: Context,
  urlId: string | undefined,
  options: ReportOptions,
): Promise<ExitCode> {
  const { flags, io, output } = context;
  const format = resolveFormat(flags, reportFormats);
  const { data, report } = await fetchReport(context, urlId, options);
  const text =
    format === 'json'
      ? `${formatJson(data, 2)}\n`
      : await renderReport(context, report, format, options.out === undefined);
  if (options.out === undefined) {
    await output.write(text);
    return exitCodes.done;
  }
  if (io.interrupt.aborted) throw io.interrupt.reason;
  const file = ReplacementFile.open(options.out);
  try {
    file.write(text);
    file.commit();
  } finally {
    file.close();
  }
  output.note(`report written to ${options.out}`);
  return exitCodes.done;
}

async function fetchReport(context: Context, urlId: string | undefined, flags: WindowFlags) {
  const { io } = context;
  const query = readWindow(flags, io.now());
  const client = await context.client();
  const signal = io.interrupt;
  if (urlId === undefined) {
    const data = await client.analytics.overview(query, { signal });
    return { data, report: overviewReport(data, flags.groupBy) };
  }
  const data = await client.urls.clicks(urlId, query, { signal });
  return { data, report: linkReport(data, flags.groupBy) };
}

async function renderReport(
  { io, output }: Context,
  report: Report,
  format: Exclude<ReportFormat, 'json'>,
  isForStdout: boolean,
): Promise<string> {
  if (format === 'html') return reportHtml(report, io.now());
  if (format === 'csv') return reportCsv(report);
  const { renderReportScreen } = await import('../../ui/render-report-screen.js');
  return renderReportScreen(report, {
    width: reportWidth(io.stdout),
    hasColor: isForStdout && output.hasColor,
  });
}
