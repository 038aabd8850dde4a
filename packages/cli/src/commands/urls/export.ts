import { escapeJson, formatCount } from '@shorty/report';
import type { UrlRecord } from '@shorty/sdk';
import {
  createReportRequest,
  reportHelp,
  visitOptions,
  type WindowFlags,
} from '../../analytics/window-options.js';
import { UsageError } from '../../cli-error.js';
import type { CommandRow } from '../../command.js';
import type { Context } from '../../context.js';
import { columnsOf, formatRows } from '../../format-rows.js';
import type { Input } from '../../input.js';
import { operations } from '../../operations.js';
import { readPages } from '../../read-pages.js';
import { formatOfFile, replaceFile } from '../../replacement-file.js';
import { filterOptions, readUrlFilter } from './link-options.js';

const { properties, prints: recordFields = [] } = operations.createUrl;

/** The columns of a file: the fields that an import takes, then those that the server sets. */
const fields = [...new Set([...Object.keys(properties), ...recordFields])].filter((name) =>
  recordFields.includes(name),
);
const columns = columnsOf<UrlRecord>(...(fields as (keyof UrlRecord)[]));

export const exportLinks: CommandRow = {
  summary: 'Write short links with all their fields, without deleted ones',
  examples: ['shorty urls export --tag spring --output ndjson'],
  options: {
    ...filterOptions,
    '--out <file>':
      'write to this file, and replace it at the end; .csv, .json and .ndjson select the format',
  },
  writesCsv: true,
  help: `Writes CSV, or with --output json or ndjson. urls bulk-create can import the
CSV. The export contains no passwords, because the server stores only hashes.`,
  run: async (context, { out, ...options }: Input & { readonly out?: string }) => {
    const { output, request } = context;
    if (output.fields) {
      throw new UsageError(
        '--fields does not apply to urls export, which writes all fields',
        `use shorty urls list --all --output csv --fields ${output.fields.join()}`,
      );
    }
    const chosen = output.format === 'table' ? undefined : output.format;
    const ofFile = formatOfFile(out, ['csv', 'json', 'ndjson'], { chosen });
    const format = chosen ?? ofFile ?? 'csv';
    const filter = await readUrlFilter(options);
    const { urls } = await context.client();
    let count = 0;
    const pages = async function* () {
      for await (const { items } of readPages((position) =>
        urls.list({ ...filter, view: 'full', limit: 100, ...position }, request),
      )) {
        count += items.length;
        yield items;
      }
    };
    const { byteOrderMark } = output;
    await writeTexts(context, out, formatRows(pages(), columns, { format, byteOrderMark }));
    if (isFile(out)) output.note(`${formatCount(count, 'link')} written to ${out}`);
  },
};

export const exportVisits: CommandRow = {
  summary: 'Export the visits of people as NDJSON',
  examples: ['shorty urls visits --since 7d --tag launch --out visits.ndjson'],
  options: {
    ...visitOptions,
    '--out <file>': 'write to this file instead of stdout, and replace it at the end',
  },
  help: `Writes NDJSON: one JSON object for each visit of a person, oldest first. Nothing
in it identifies a visitor. The server deletes visits after its retention
period, if it has one.

${reportHelp}`,
  run: async (context, { out, ...flags }: Omit<WindowFlags, 'groupBy'> & { out?: string }) => {
    const { output } = context;
    if (output.fields) {
      throw new UsageError('--fields does not apply to urls visits, which writes all fields');
    }
    if (output.format === 'csv') {
      throw new UsageError('--output csv does not apply to urls visits, which writes NDJSON');
    }
    formatOfFile(out, ['ndjson']);
    const request = { ...flags, groupBy: 'day' } as const;
    const { client, query } = await createReportRequest(context, request);
    const { groupBy: _, ...filters } = query;
    let total = 0;
    const texts = async function* () {
      const pages = readPages((position) =>
        client.analytics.visits({ ...filters, ...position }, context.request),
      );
      for await (const { text, count } of pages) {
        total += count;
        yield escapeJson(text);
      }
    };
    await writeTexts(context, out, texts());
    if (isFile(out)) output.note(`${formatCount(total, 'visit')} written to ${out}`);
  },
};

/** Writes texts to a file, or to stdout without one. */
async function writeTexts(
  { output }: Context,
  out: string | undefined,
  texts: AsyncIterable<string>,
): Promise<void> {
  if (isFile(out)) return replaceFile(out, texts);
  for await (const text of texts) {
    if (output.isClosed) return;
    // No cell has a line break.
    await output.write(text.replaceAll(/[^\n]+/g, (line) => output.printable(line)));
  }
}

function isFile(out: string | undefined): out is string {
  return out !== undefined && out !== '-';
}
