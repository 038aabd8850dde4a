import { escapeJson, formatCount } from '@shorty/report';
import type { Shorty, UrlExportQuery } from '@shorty/sdk';
import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { readAhead, readExport } from '../../read-pages.js';
import { ReplacementFile } from '../../replacement-file.js';
import { addUrlFilter, readUrlFilter, type UrlFilterOptions } from './url-filter.js';

interface ExportOptions extends UrlFilterOptions {
  readonly out?: string;
}

/** A part of the exported text, and the number of its links. */
interface Part {
  readonly text: string;
  readonly count: number;
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
  if (output.fields) {
    throw new UsageError(
      '--fields does not apply to urls export, which writes all fields',
      `use shorty urls list --all --output csv --fields ${output.fields.join()}`,
    );
  }
  const file = out === undefined || out === '-' ? undefined : ReplacementFile.open(out);
  let total = 0;
  try {
    const parts = readParts(
      context,
      await context.client(),
      readUrlFilter(filterOptions, context.io.now()),
    );
    for await (const { text, count } of parts) {
      if (!file && output.isClosed) break;
      if (file) file.write(text);
      else await output.write(printableLines(context, text));
      total += count;
    }
    file?.commit();
  } finally {
    file?.close();
  }
  if (file) output.note(`${formatCount(total, 'link')} written to ${out}`);
  return exitCodes.done;
}

type Filter = ReturnType<typeof readUrlFilter>;

/** Returns the exported text in the format of the output. */
function readParts({ io, output }: Context, client: Shorty, filter: Filter): AsyncIterable<Part> {
  const read = (format: NonNullable<UrlExportQuery['format']>) =>
    readAhead(readExport(client, { ...filter, format }, { signal: io.interrupt }));
  if (output.format === 'table' || output.format === 'csv') return read('csv');
  const links = escapeParts(read('ndjson'));
  return output.format === 'json' ? toJson(links) : links;
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

/** Replaces characters that control the terminal, if stdout is one. No cell has a line break. */
function printableLines({ output }: Context, text: string): string {
  return text
    .split('\n')
    .map((line) => output.printable(line))
    .join('\n');
}
