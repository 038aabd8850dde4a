import { stat } from 'node:fs/promises';
import { quoteCell } from '@shorty/import';
import { systemErrorCode, UsageError } from '../../cli-error.js';
import type { CommandRow } from '../../command.js';
import type { Context } from '../../context.js';
import type { ExitCode } from '../../exit-codes.js';
import { type CsvOptions, openRows, type Rows } from '../../import/prepare-import.js';
import { type ChangeOptions, changePrints, deleteOptions } from '../change-command.js';
import { deleteUrls } from './delete-urls.js';

export const bulkDelete: CommandRow = {
  summary: 'Delete short links by id or from a file',
  examples: ['shorty urls bulk-delete 41,42,43', 'shorty urls bulk-delete ids.txt --dry-run'],
  args: {
    '<ids...>': 'ids, or one file (- for stdin): a CSV with an id column, or one id per line',
  },
  options: {
    '--encoding <name>': 'encoding of the file',
    '--delimiter <char>': 'column delimiter of the file',
    ...deleteOptions,
  },
  prints: changePrints,
  run: deleteListed,
};

/** The next step for somebody who gives a slug or a short URL as an id. */
const idHint = 'ids are whole numbers; shorty urls delete also takes slugs and short URLs';

interface Input extends CsvOptions, ChangeOptions {
  readonly ids: readonly string[];
}

async function deleteListed(context: Context, { ids, ...options }: Input): Promise<ExitCode> {
  const [first] = ids;
  if (ids.length !== 1 || first === undefined || !(await isFile(first))) {
    // Commas can separate ids.
    const listed = ids.flatMap((each) => each.split(',')).map((each) => checkId(each.trim()));
    return deleteUrls(context, listed, options);
  }
  const rows = await openRows(first, options, context.io, isIdColumn);
  try {
    for (const note of rows.notes) context.output.note(note);
    // The whole file first, so that an error in line 900 deletes nothing.
    const listed = await readIds(rows);
    if (listed.length === 0) throw new UsageError(`${rows.file.name} contains no ids`);
    return await deleteUrls(context, listed, options);
  } finally {
    await rows.file.close();
  }
}

/** Returns the ids of a file: the `id` column, or the first column of a file without a header. */
async function readIds(rows: Rows): Promise<string[]> {
  const ids: string[] = [];
  let column: number | undefined;
  for await (const { line, cells } of rows.all()) {
    if (column === undefined) {
      const named = cells.findIndex(isIdColumn);
      column = Math.max(0, named);
      if (named !== -1) continue;
    }
    ids.push(checkId(cells[column]?.trim() ?? '', `line ${line}: `));
  }
  return ids;
}

function checkId(text: string, place = ''): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new UsageError(`${place}${quoteCell(text)} is not a link id`, idHint);
}

function isIdColumn(title: string): boolean {
  return title.trim().toLowerCase() === 'id';
}

async function isFile(path: string): Promise<boolean> {
  if (path === '-') return true;
  if (/^[\d,]+$/.test(path)) return false;
  try {
    return !(await stat(path)).isDirectory();
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new UsageError(`${path} is neither an id nor an existing file`, idHint);
  }
}
