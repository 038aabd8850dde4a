import { formatCsvFile } from '@shorty/import';
import {
  fetchLinkReport,
  fetchOverviewReport,
  formatJson,
  type Report,
  reportHtml,
  reportRows,
  reportText,
} from '@shorty/report';
import { reportCommand } from '../analytics/report-command.js';
import { tail } from '../analytics/tail.js';
import {
  createReportRequest,
  reportHelp,
  reportOptions,
  type WindowFlags,
} from '../analytics/window-options.js';
import { UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { kebabCase } from '../field-options.js';
import type { OutputFormat } from '../format-rows.js';
import { reportWidth } from '../io.js';
import { type Named, naming } from '../records.js';
import { formatOfFile, replaceFile } from '../replacement-file.js';

export const analyticsCommands: Readonly<Record<string, CommandRow>> = {
  overview: reportCommand('getAnalyticsOverview', fetchOverviewReport, [
    'shorty analytics overview --since 7d',
  ]),
  report: {
    summary: 'Create a report on one link or all links: charts, HTML, CSV or JSON',
    examples: ['shorty analytics report 42 --output html --out report.html'],
    args: { '[of]': naming('link', 'one link (default: all links)') },
    options: {
      ...reportOptions('getAnalyticsOverview'),
      '--out <file>': 'write to this file; .html, .csv, .json and .txt select the format',
    },
    help: `${reportHelp}

The html format is one self-contained file. The csv format has the columns
section, name, detail, clicks and uniques.`,
    formats: ['terminal', 'html', 'csv', 'json'],
    writesCsv: true,
    run: async (context, input: WindowFlags & { of?: Named; out?: string }) => {
      const { flags, io, output } = context;
      const { of, out, output: _, ...window } = input;
      const isChosen = flags.json || flags.output !== undefined;
      const asked = isChosen ? output.format : undefined;
      const ofFile = formatOfFile(out, ['html', 'csv', 'json', 'txt'], {
        chosen: asked === 'terminal' ? 'txt' : asked,
      });
      const format = asked ?? (ofFile === 'txt' ? 'terminal' : ofFile) ?? 'terminal';
      if (flags.excel && format !== 'csv') throw new UsageError('--excel: this output is not CSV');
      const linkFilter = (['tag', 'domainId', 'link'] as const).find((name) => input[name]);
      if (of && linkFilter) {
        throw new UsageError(`--${kebabCase(linkFilter)} cannot be used in the report of one link`);
      }
      const request = await createReportRequest(context, window);
      const { data, complete } = await (of
        ? fetchLinkReport(request, of)
        : fetchOverviewReport(request));
      const text =
        format === 'json'
          ? `${formatJson(data, 2)}\n`
          : renderReport(context, await complete(), format, out === undefined);
      if (out === undefined) return output.write(text);
      io.interrupt.throwIfAborted();
      await replaceFile(out, text);
      output.note(`report written to ${out}`);
    },
  },
  tail,
};

function renderReport(
  { io, output }: Context,
  report: Report,
  format: OutputFormat,
  isForStdout: boolean,
): string {
  if (format === 'html') return reportHtml(report, io.now());
  if (format === 'csv') return output.byteOrderMark + formatCsvFile(reportRows(report));
  const width = reportWidth(isForStdout ? io.stdout : {});
  return reportText(report, { width, hasColor: isForStdout && output.hasColor });
}
