import { stat } from 'node:fs/promises';
import { linkKeys, quoteCell } from '@shorty/import';
import { type ExitCode, systemErrorCode, UsageError } from '../../cli-error.js';
import type { CommandRow } from '../../command.js';
import type { Context } from '../../context.js';
import { maxRetryDelayMs } from '../../import/import-report.js';
import { type CsvFlags, type Rows, withRows } from '../../import/prepare-import.js';
import { groupIntoPages } from '../../read-pages.js';
import { kinds, type Named, nameLinks } from '../../records.js';
import {
  type Change,
  type ChangeOptions,
  changeItems,
  changePrints,
  deleteOptions,
} from '../change-command.js';

export const bulkDelete: CommandRow = {
  summary: 'Delete short links that a file or the arguments name',
  examples: ['shorty urls bulk-delete 41,42,43', 'shorty urls bulk-delete old.csv --dry-run'],
  args: {
    '<links...>': `one file (- for stdin), or links: ${kinds.link.forms}`,
  },
  options: {
    '--delimiter <char>': 'column delimiter of the file',
    ...deleteOptions,
  },
  help: `The file is a CSV with a column id, shortUrl, slug or code, or it has one link
in each line. A number is an id.`,
  prints: changePrints,
  run: async (context, { links, ...options }: Input) => {
    const [first] = links;
    if (links.length !== 1 || first === undefined || !(await isFile(first))) {
      const texts = links.flatMap((each) => each.split(','));
      return deleteUrls(context, nameLinks(texts, context), options);
    }
    return withRows(context, first, options, isKeyColumn, async (rows) => {
      // The whole file first, so that an error in line 900 deletes nothing.
      const texts = await readColumn(rows);
      if (texts.length === 0) throw new UsageError(`${rows.file.name} contains no links`);
      return deleteUrls(context, nameLinks(texts, context), options);
    });
  },
};

interface Input extends Pick<CsvFlags, 'delimiter'>, ChangeOptions {
  readonly links: readonly string[];
}

/** Returns the cells of the column that names links, or of the first column of a file without a header. */
async function readColumn(rows: Rows): Promise<string[]> {
  const texts: string[] = [];
  let column: number | undefined;
  for await (const { line, cells } of rows.all()) {
    if (column === undefined) {
      const named = cells.findIndex(isKeyColumn);
      if (named === -1 && cells.length > 1) {
        throw new UsageError(`${rows.file.name} has no column id, shortUrl, slug or code`);
      }
      column = Math.max(0, named);
      if (named !== -1) continue;
    }
    const text = cells[column]?.trim() ?? '';
    if (!text) throw new UsageError(`line ${line}: ${quoteCell(text)} is not a link`);
    texts.push(text);
  }
  return texts;
}

function isKeyColumn(title: string): boolean {
  return ['id', ...linkKeys].includes(title.toLowerCase().replaceAll(/[_\-\s]/g, ''));
}

async function isFile(path: string): Promise<boolean> {
  if (path === '-') return true;
  try {
    return !(await stat(path)).isDirectory();
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    if (/\.(csv|tsv|txt)$/i.test(path)) throw new UsageError(`${path}: file not found`);
    return false;
  }
}

const maxItems = 100;

/** Deletes links, 100 per request. */
export async function deleteUrls(
  context: Context,
  names: readonly Named[],
  options: ChangeOptions,
): Promise<ExitCode> {
  const { urls } = await context.client({ maxRetryDelayMs });
  const change = async function* (all: readonly string[]): AsyncGenerator<readonly Change[]> {
    for await (const page of groupIntoPages(all, maxItems)) {
      const { deletedIds, skippedIds } = await urls.bulkDelete([...page], context.request);
      yield [
        ...deletedIds.map((id) => ({ id, isSkipped: false })),
        ...skippedIds.map((id) => ({ id, isSkipped: true })),
      ];
    }
  };
  return changeItems(context, 'Delete', 'link', names, change, options);
}
