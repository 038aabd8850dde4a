import { UsageError } from '../cli-error.js';
import { CsvReader } from './csv-reader.js';

const candidates = [',', ';', '\t', '|'] as const;

/** Returns the delimiter that a first line such as `sep=;` names. Excel writes and reads such a line. */
export function readSepLine(text: string): string | undefined {
  return /^"?sep=([^"\r\n])"?[\r\n]/i.exec(text)?.[1];
}

/** Whether a title names a known column. */
export type ColumnTest = (title: string) => boolean;

const sampleRows = 20;

/**
 * Returns the delimiter that yields the most known columns in the first line. Among several, the one that gives
 * the most rows as many cells as the first line, then the most frequent one, then a comma. A file without a
 * header has no `isKnown`.
 */
export function detectDelimiter(text: string, isKnown?: ColumnTest): string {
  const scores = candidates.map((delimiter) => {
    const [first, ...rows] = firstRows(text, delimiter);
    const width = first?.length ?? 0;
    const known = isKnown ? (first?.filter((title) => isKnown(title)).length ?? 0) : 0;
    // In a row of values, | also separates tags.
    const isSplit = width > 1 && (isKnown !== undefined || delimiter !== '|');
    const regular = isSplit ? 1 + rows.filter(({ length }) => length === width).length : 0;
    return { delimiter, score: [known, regular, isSplit ? width : 0] };
  });
  const best = scores.reduce((a, b) => (compare(b.score, a.score) > 0 ? b : a));
  return best.delimiter;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

/** The cells of the first rows, without blank rows. A row with a syntax error has none. */
function firstRows(text: string, delimiter: string): (readonly string[])[] {
  const reader = new CsvReader(delimiter);
  const rows: (readonly string[])[] = [];
  for (const part of [reader.push(text), reader.finish()]) {
    for (const { cells } of part) {
      rows.push(cells);
      if (rows.length > sampleRows) return rows;
    }
  }
  return rows;
}

const names: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
};

export function parseDelimiter(text: string): string {
  const delimiter = names[text.toLowerCase()] ?? text;
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new UsageError(
    `--delimiter ${JSON.stringify(text)} must be one character`,
    'or one of the names tab, comma, semicolon, pipe',
  );
}

export function delimiterName(delimiter: string): string {
  const named = Object.entries(names).find(([, character]) => character === delimiter);
  return named?.[0] ?? JSON.stringify(delimiter);
}
