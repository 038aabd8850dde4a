import { stat } from 'node:fs/promises';
import { systemErrorCode, UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import type { ExitCode } from '../../exit-codes.js';
import { type CsvOptions, openRows, type Rows } from '../../import/prepare-import.js';
import { addDeleteOptions, type DeleteOptions } from '../delete-items.js';
import { checkId, deleteUrls, idHint, parseIds } from './delete-urls.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument(
      '<ids...>',
      'ids, or one file (- for stdin): a CSV with an id column, or one id per line',
    )
    .option('--encoding <name>', 'encoding of the file')
    .option('--delimiter <char>', 'column delimiter of the file');
  addDeleteOptions(command).action((ids: string[], options: CsvOptions & DeleteOptions) =>
    start((context) => bulkDelete(context, ids, options)),
  );
};

async function bulkDelete(
  context: Context,
  ids: readonly string[],
  options: CsvOptions & DeleteOptions,
): Promise<ExitCode> {
  const [first] = ids;
  if (ids.length !== 1 || first === undefined || !(await isFile(first))) {
    return deleteUrls(context, parseIds(ids), options);
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
