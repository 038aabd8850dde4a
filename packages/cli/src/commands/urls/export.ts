import { escapeJson, formatCount } from '@shorty/report';
import type { UrlExportQuery } from '@shorty/sdk';
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
import { readAhead, readTexts } from '../../read-pages.js';
import { formatOfFile, ReplacementFile } from '../../replacement-file.js';
import { filterOptions, readUrlFilter } from './link-options.js';

/** A part of the exported text, and the number of its records. */
interface Part {
  readonly text: string;
  readonly count: number;
}

const outOption = {
  '--out <file>': 'write to this file instead of stdout, and replace it at the end',
};

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
    const ofFile = formatOfFile(out, ['csv', 'json', 'ndjson']) ?? 'csv';
    const format = output.format === 'table' ? ofFile : output.format;
    const filter = await readUrlFilter(options);
    await writeParts(context, out, 'link', async () => {
      const { urls } = await context.client();
      const read = (format: NonNullable<UrlExportQuery['format']>) =>
        readTexts((position) => urls.export({ ...filter, format, ...position }, request));
      if (format === 'csv') return marked(readAhead(read('csv')), output.byteOrderMark);
      const links = escapeParts(readAhead(read('ndjson')));
      return format === 'json' ? toJson(links) : links;
    });
    return undefined;
  },
};

export const exportVisits: CommandRow = {
  summary: 'Export the visits of people as NDJSON',
  examples: ['shorty urls visits --since 7d --tag launch --out visits.ndjson'],
  options: { ...visitOptions, ...outOption },
  help: `Writes NDJSON: one JSON object for each visit of a person, oldest first. Nothing
in it identifies a visitor. Days that were pruned after the retention period
have no single visits.

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
    await writeParts(context, out, 'visit', async () => {
      const pages = readTexts((position) =>
        client.analytics.visits({ ...filters, ...position }, context.request),
      );
      return escapeParts(readAhead(pages));
    });
    return undefined;
  },
};

/** Writes text to a file, or to stdout without one. */
async function writeParts(
  { output }: Context,
  out: string | undefined,
  noun: string,
  read: () => Promise<AsyncIterable<Part>>,
): Promise<void> {
  const file = out === undefined || out === '-' ? undefined : new ReplacementFile(out);
  let total = 0;
  try {
    for await (const { text, count } of await read()) {
      if (!file && output.isClosed) break;
      if (file) file.write(text);
      // No cell has a line break.
      else
        await output.write(
          text
            .split('\n')
            .map((line) => output.printable(line))
            .join('\n'),
        );
      total += count;
    }
    file?.commit();
  } finally {
    file?.close();
  }
  if (file) output.note(`${formatCount(total, noun)} written to ${out}`);
}

async function* marked(parts: AsyncIterable<Part>, mark: string): AsyncGenerator<Part> {
  yield { text: mark, count: 0 };
  yield* parts;
}

async function* escapeParts(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  for await (const { text, count } of parts) yield { text: escapeJson(text), count };
}

/** Makes one document of lines of JSON. */
async function* toJson(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  let separator = '\n';
  yield { text: '{"items":[', count: 0 };
  for await (const { text, count } of parts) {
    if (count === 0) continue;
    yield { text: separator + text.trimEnd().replaceAll('\n', ',\n'), count };
    separator = ',\n';
  }
  yield { text: '\n]}\n', count: 0 };
}
