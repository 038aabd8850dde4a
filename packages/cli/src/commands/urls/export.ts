import type { UrlRecord } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { formatCsvLine } from '../../csv-line.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatCount, formatJson } from '../../format.js';
import { formatTags, guardFormula } from '../../import/cell-values.js';
import { exportColumns } from '../../import/url-fields.js';
import { readPages } from '../../read-pages.js';
import { ReplacementFile } from '../../replacement-file.js';
import { addUrlFilter, readUrlFilter, type UrlFilterOptions } from './url-filter.js';

interface ExportOptions extends UrlFilterOptions {
  readonly out?: string;
}

export const define: DefineCommand = (command, start) => {
  addUrlFilter(command)
    .option('--out <file>', 'write to this file instead of stdout, and replace it at the end')
    .addHelpText('after', help)
    .action((options: ExportOptions) => start((context) => exportUrls(context, options)));
};

const help = `
The filters select links; without one, all links are written.
Writes CSV, or with --output json or ndjson. urls bulk-create can import the
CSV. The export contains no passwords, because the server stores only hashes.`;

async function exportUrls(
  context: Context,
  { out, ...filterOptions }: ExportOptions,
): Promise<ExitCode> {
  const { output } = context;
  const format = output.format === 'table' ? 'csv' : output.format;
  const file = out === undefined || out === '-' ? undefined : ReplacementFile.open(out);
  const write = async (text: string) => (file ? file.write(text) : output.write(text));
  const toLine = (record: UrlRecord) => {
    const cells = exportColumns.map((column) => exportCell(record, column));
    return file ? formatCsvLine(cells.map(guardFormula)) : output.csvLine(cells);
  };
  let count = 0;
  try {
    if (format === 'csv') await write(`${formatCsvLine(exportColumns)}\n`);
    if (format === 'json') await write('{"items":[');
    const client = await context.client();
    const filter = { ...readUrlFilter(filterOptions), view: 'full' } as const;
    const links = client.urls.list(filter, { signal: context.io.interrupt });
    for await (const page of readPages(links)) {
      if (!file && output.isClosed) break;
      const lines = page.map((record, index) => {
        if (format === 'csv') return `${toLine(record)}\n`;
        if (format === 'ndjson') return `${formatJson(record)}\n`;
        return `${count + index === 0 ? '\n' : ',\n'}${formatJson(record)}`;
      });
      await write(lines.join(''));
      count += page.length;
    }
    if (format === 'json') await write('\n]}\n');
    file?.commit();
  } finally {
    file?.close();
  }
  if (file) output.note(`${formatCount(count, 'link')} written to ${out}`);
  return exitCodes.done;
}

function exportCell(record: UrlRecord, column: string): string {
  if (column === 'tags') return formatTags(record.tags);
  if (column === 'clickThresholds') return record.clickThresholds?.join('|') ?? '';
  if (column === 'customUtmParams') {
    const text = JSON.stringify(record.customUtmParams);
    return text === '{}' ? '' : text;
  }
  const value = record[column as keyof UrlRecord];
  return value === null || value === undefined ? '' : String(value);
}
