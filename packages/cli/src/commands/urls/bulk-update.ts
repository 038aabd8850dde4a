import {
  type ImportRow,
  matchResults,
  planChunks,
  quoteCell,
  updateFields,
  withDomainIds,
} from '@shorty/import';
import { formatCount, formatNumber } from '@shorty/report';
import type { UrlBulkUpdateItem } from '@shorty/sdk';
import { exitCodeOf, UsageError } from '../../cli-error.js';
import type { CommandRow } from '../../command.js';
import type { Context } from '../../context.js';
import { columnsOf } from '../../format-rows.js';
import {
  type CsvFlags,
  csvOptions,
  type PreparedImport,
  withImport,
} from '../../import/prepare-import.js';
import { RowReport } from '../../import/row-report.js';
import { domainFinder, nameLinks } from '../../records.js';
import { findIds } from '../change-command.js';

/** The cell that clears a field. An empty cell leaves the field unchanged. */
const nullCell = '\\N';

const columns = columnsOf<Outcome>(...(['line', 'id', 'status', 'error', 'code'] as const));

export const bulkUpdate: CommandRow = {
  summary: 'Change short links from a CSV file',
  examples: ['shorty urls bulk-update changes.csv --dry-run'],
  args: { '<file>': 'CSV file with a column id, shortUrl, slug or code, or - for stdin' },
  options: { ...csvOptions, '--dry-run': 'check every row, send nothing' },
  help: `An empty cell leaves the field unchanged. The cell \\N clears the field. The
command accepts an edited file of urls export.`,
  run: (
    context,
    { file, ...options }: CsvFlags & { readonly file: string; readonly dryRun?: boolean },
  ) =>
    withImport(context, file, { ...options, fields: updateFields }, (prepared) =>
      updateRows(context, prepared, options.dryRun === true),
    ),
};

/** What became of a row. */
interface Outcome {
  readonly line: number;
  readonly id: string | null;
  readonly status: 'updated' | 'failed';
  readonly error?: string;
  readonly code?: string;
}

async function updateRows(context: Context, prepared: PreparedImport, isDryRun: boolean) {
  const { io, output } = context;
  const { columns: planned } = prepared.plan;
  if (!planned.some(({ column }) => 'name' in column && column.name !== 'id')) {
    throw new UsageError(`${prepared.file.name} has no column to change`, 'such as title or tags');
  }
  const failures = new RowReport(context);
  let updated = 0;
  let failed = 0;
  const outcomes = async function* (): AsyncGenerator<readonly Outcome[]> {
    const client = isDryRun ? undefined : await context.client();
    const all = planChunks(prepared.rows(), prepared.plan, { nullCell });
    const chunks = isDryRun ? all : withDomainIds(all, domainFinder(context));
    for await (const chunk of chunks) {
      io.interrupt.throwIfAborted();
      const rows = await withIds(chunk.rows, isDryRun ? undefined : context);
      const items = rows.flatMap(({ item }) => (item ? [item] : []));
      // The server validates each item separately, so an invalid row fails alone.
      const sent = items as unknown as UrlBulkUpdateItem[];
      const response = items.length > 0 && (await client?.urls.bulkUpdate(sent, context.request));
      const errors = response ? response.errors : [];
      const results = matchResults(rows, { created: items.map((_, index) => ({ index })), errors });
      yield results.map(({ row: { line, item }, failure }): Outcome => {
        const place = { line, id: item ? String(item.id) : null };
        if (!failure) {
          updated++;
          return { ...place, status: 'updated' };
        }
        failed++;
        const { message, code } = failure;
        failures.add(line, message, code);
        return { ...place, status: 'failed', error: message, code };
      });
    }
  };
  if (output.format === 'table') {
    for await (const _ of outcomes()) io.interrupt.throwIfAborted();
    failures.finish();
    const verb = isDryRun ? 'would be sent' : 'updated';
    const total = formatCount(updated + failed, 'row');
    const counts = `${formatNumber(updated)} ${verb}, ${formatNumber(failed)} failed`;
    await output.message(`${total}: ${counts}`);
  } else await output.list(outcomes(), columns);
  return exitCodeOf(updated, failed);
}

/** Returns rows with the ids of the links that they name otherwise. Without a context, all are found. */
async function withIds(rows: readonly ImportRow[], context?: Context): Promise<ImportRow[]> {
  const textOf = ({ item }: ImportRow) => String(item?.id ?? '').trim();
  const texts = rows.map(textOf).filter((text) => text !== '');
  const ids = new Map<string, string | undefined>(texts.map((text) => [text, text]));
  if (context) {
    for await (const { name, id } of findIds(nameLinks(texts, context))) ids.set(name.text, id);
  }
  return rows.map((row) => {
    const { item, ...place } = row;
    if (!item) return row;
    const text = textOf(row);
    if (text === '') return { ...place, error: 'id is missing' };
    const id = ids.get(text);
    if (id !== undefined) return { ...row, item: { ...item, id } };
    return { ...place, error: `there is no link ${quoteCell(text)}` };
  });
}
