import { type Command, Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { gather } from '../../command.js';
import type { ColumnOptions } from '../../import/column-plan.js';

/** Flags of every command that reads a CSV with named columns. */
export interface CsvFlags {
  readonly map?: readonly string[];
  readonly ignoreColumns?: string | true;
  readonly encoding?: string;
  readonly delimiter?: string;
}

export function addCsvOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--map <from=to>', 'use a column as a field; may be repeated').argParser(gather),
    )
    .option('--ignore-columns [names]', 'columns to pass over, with commas; all unknown without')
    .option('--encoding <name>', 'encoding of the file (found out otherwise)')
    .option('--delimiter <char>', 'what separates columns (found out otherwise)');
}

export function readColumnOptions({ map = [], ignoreColumns }: CsvFlags): ColumnOptions {
  return {
    map: new Map(map.map(parseMapping)),
    ignore: ignoreColumns === true ? 'all' : new Set(splitNames(ignoreColumns)),
  };
}

function parseMapping(text: string): readonly [string, string] {
  // The last sign splits: a header may hold one, a field never does.
  const split = text.lastIndexOf('=');
  const from = text.slice(0, split).trim();
  const to = text.slice(split + 1).trim();
  if (split > 0 && from !== '' && to !== '') return [from, to];
  throw new UsageError(`--map ${text}: write it as column=field`);
}

function splitNames(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((name) => name.trim() !== '');
}
