import { escapeJson, formatCount, formatJson } from '@shorty/report';
import {
  createReportRequest,
  reportHelp,
  visitOptions,
  type WindowFlags,
} from '../../analytics/window-options.js';
import { UsageError } from '../../cli-error.js';
import type { CommandRow } from '../../command.js';
import type { Context } from '../../context.js';
import type { Input } from '../../input.js';
import { operations } from '../../operations.js';
import { formatCsvCells } from '../../output.js';
import { readPages } from '../../read-pages.js';
import { formatOfFile, replaceFile } from '../../replacement-file.js';
import { filterOptions, readUrlFilter } from './link-options.js';

const { properties, prints: recordFields = [] } = operations.createUrl;

/** The columns of a file: the fields that an import takes, then those that the server sets. */
const columns = [...new Set([...Object.keys(properties), ...recordFields])].filter((name) =>
  recordFields.includes(name),
);

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
    const pages = readPages((position) =>
      urls.list({ ...filter, view: 'full', limit: 100, ...position }, request),
    );
    const parts = async function* () {
      // JSON is one document of the lines.
      if (format === 'json') yield { text: '{"items":[', count: 0 };
      if (format === 'csv') yield { text: output.csvHeader(columns), count: 0 };
      let separator = '\n';
      for await (const { items } of pages) {
        const lines = items.map((link: Readonly<Record<string, unknown>>) =>
          format === 'csv' ? formatCsvCells(columns.map((name) => link[name])) : formatJson(link),
        );
        if (lines.length === 0) continue;
        const text = format === 'json' ? separator + lines.join(',\n') : `${lines.join('\n')}\n`;
        yield { text, count: lines.length };
        separator = ',\n';
      }
      if (format === 'json') yield { text: '\n]}\n', count: 0 };
    };
    await writeParts(context, out, 'link', parts());
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
    const parts = async function* () {
      const pages = readPages((position) =>
        client.analytics.visits({ ...filters, ...position }, context.request),
      );
      for await (const { text, count } of pages) yield { text: escapeJson(text), count };
    };
    await writeParts(context, out, 'visit', parts());
  },
};

/** Writes parts of a text, which have `count` records, to a file, or to stdout without one. */
async function writeParts(
  { output }: Context,
  out: string | undefined,
  noun: string,
  parts: AsyncIterable<{ readonly text: string; readonly count: number }>,
): Promise<void> {
  let total = 0;
  const texts = async function* () {
    for await (const { text, count } of parts) {
      total += count;
      yield text;
    }
  };
  if (out !== undefined && out !== '-') {
    await replaceFile(out, texts());
    output.note(`${formatCount(total, noun)} written to ${out}`);
    return;
  }
  for await (const text of texts()) {
    if (output.isClosed) return;
    // No cell has a line break.
    await output.write(text.replaceAll(/[^\n]+/g, (line) => output.printable(line)));
  }
}
