import { stat } from 'node:fs/promises';
import { systemErrorCode, UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import type { ExitCode } from '../../exit-codes.js';
import { type CsvOptions, inspectCsv } from '../../import/csv-file.js';
import { idHint, isIdColumn, readIds } from '../../import/id-list.js';
import { openInput } from '../../import/import-input.js';
import { addDeleteOptions, type DeleteOptions } from '../delete-items.js';
import { deleteUrls, parseIds } from './delete-urls.js';

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
  const input = await openInput(first, context.io);
  try {
    const csv = await inspectCsv(input, { ...options, isKnownColumn: isIdColumn });
    for (const note of csv.notes) context.output.note(note);
    // The whole file first, so that an error in line 900 deletes nothing.
    const listed: string[] = [];
    for await (const id of readIds(csv)) listed.push(id);
    if (listed.length === 0) throw new UsageError(`${input.name} contains no ids`);
    return await deleteUrls(context, listed, options);
  } finally {
    await input.close();
  }
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
