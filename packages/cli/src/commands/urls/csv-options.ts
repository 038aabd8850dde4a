import type { ColumnOptions } from '@shorty/import';
import { formatInstant } from '@shorty/report';
import { timeZoneOption } from '../../analytics/parse-time.js';
import { UsageError } from '../../cli-error.js';
import { type OptionRows, repeatable } from '../../command.js';

/** The options of commands that read a CSV file with named columns. */
export interface CsvFlags {
  readonly map?: readonly string[];
  readonly ignoreColumns?: string | true;
  readonly encoding?: string;
  readonly delimiter?: string;
  /** False for --no-header. */
  readonly header?: boolean;
  readonly dates?: 'dmy' | 'mdy';
  readonly timeZone?: string;
  readonly addScheme?: boolean;
}

export const csvOptions: OptionRows = {
  '--map <from=to>': repeatable('use a column as a field'),
  '--ignore-columns [names]':
    'columns to ignore, as a line of CSV; without a value: all unknown columns',
  '--encoding <name>': 'encoding of the file (default: detected)',
  '--delimiter <char>': 'column delimiter (default: detected)',
  '--dates <order>': {
    text: 'order of day and month in dates such as 12/31/2026',
    choices: ['dmy', 'mdy'],
  },
  ...timeZoneOption,
  '--add-scheme': 'read targets such as example.com as https://example.com',
};

export const noHeaderOption: OptionRows = {
  '--no-header': 'the file has no header row; --map numbers its columns from 1',
};

/** `onEndOfDay` gets a note for each date without a time that is read as the end of its day. */
export function readColumnOptions(
  { map = [], ignoreColumns, dates, timeZone, addScheme }: CsvFlags,
  onEndOfDay?: (note: string) => void,
): ColumnOptions {
  return {
    cells: {
      ...{ dates, timeZone, addsScheme: addScheme },
      onEndOfDay: (cell, end) =>
        onEndOfDay?.(
          `${cell} ends at ${formatInstant(end)}, and other dates without a time with their day (--time-zone)`,
        ),
    },
    map: new Map(map.map(parseMapping)),
    ignore: ignoreColumns === true ? 'all' : new Set(splitNames(ignoreColumns)),
  };
}

function parseMapping(text: string): readonly [string, string] {
  // The last = separates: a column name can contain one, a field name cannot.
  const split = text.lastIndexOf('=');
  const from = text.slice(0, split).trim();
  const to = text.slice(split + 1).trim();
  if (split > 0 && from !== '' && to !== '') return [from, to];
  throw new UsageError(`--map ${text}: must have the form column=field`);
}

/** Returns the names of a line of CSV: a name that contains a comma stands in quotation marks. */
function splitNames(line = ''): string[] {
  return Array.from(line.matchAll(/"((?:[^"]|"")*)"|[^,]+/g), ([plain, quoted]) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  ).filter((name) => name !== '');
}
