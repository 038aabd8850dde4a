import { CsvError, parse } from 'csv-parse/stream';
import { FileError } from './file-error.js';

/** A row of a file, with its original text. */
export interface CsvRow {
  /** The number of the line on which the row begins, from 1. */
  readonly line: number;
  /** The original text of the row, without its line end. */
  readonly raw: string;
  readonly cells: readonly string[];
}

// A quote that is not closed would otherwise read the rest of the file.
const maxRowBytes = 1_000_000;
// The parser queues up to 1,024 parts before its source has to wait. Large parts would fill the memory.
const partBytes = 4096;
const delimiters = [',', ';', '\t', '|'];

/** Reads the rows of a CSV file (RFC 4180). Throws FileError for one that has no valid syntax. */
export async function* readCsv(
  text: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter,
    bom: true,
    info: true,
    raw: true,
    trim: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: maxRowBytes,
  });
  const rows = streamOf(text).pipeThrough(
    parser as unknown as TransformStream<Uint8Array, ParsedRow>,
  );
  try {
    for await (const { record, raw, info } of rows as unknown as AsyncIterable<ParsedRow>) {
      const content = withoutBreaks(raw);
      const breaks = content.match(/\r\n|\n|\r/g)?.length ?? 0;
      yield { line: info.lines - breaks, raw: content, cells: record };
    }
  } catch (error) {
    if (error instanceof CsvError) throw new FileError(describe(error), 'correct the row');
    throw error;
  }
}

interface ParsedRow {
  readonly record: readonly string[];
  readonly raw: string;
  readonly info: { readonly lines: number };
}

function streamOf(text: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const parts = encodeInParts(text);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

async function* encodeInParts(
  text: AsyncIterable<string>,
): AsyncGenerator<Uint8Array, undefined, undefined> {
  const encoder = new TextEncoder();
  for await (const value of text) {
    const bytes = encoder.encode(value);
    for (let start = 0; start < bytes.length; start += partBytes) {
      yield bytes.subarray(start, start + partBytes);
    }
  }
}

function describe({ code, lines }: CsvError & { readonly lines?: number }): string {
  const place = lines === undefined ? '' : `line ${lines}: `;
  if (code === 'CSV_INVALID_CLOSING_QUOTE') return `${place}text follows a closing quote`;
  return `${place}an opening quote has no closing quote, or the row is longer than 1 MB`;
}

/**
 * Returns the delimiter of a file from its first lines: the one that splits the header into the most
 * known columns, else the most frequent one. `sep=;`, which Excel writes, is none of the header.
 */
export function detectDelimiter(start: string, isKnown: (title: string) => boolean): string {
  const header =
    start
      .replace(/^\ufeff/, '')
      .trimStart()
      .split(/[\r\n]/, 1)[0] ?? '';
  const scores = delimiters.map((delimiter) => {
    const titles = header.split(delimiter).map((title) => title.replace(/^\s*"|"\s*$/g, ''));
    return { delimiter, score: titles.filter(isKnown).length * 1000 + titles.length };
  });
  return scores.reduce((a, b) => (b.score > a.score ? b : a)).delimiter;
}

const names: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
};

/** Returns the delimiter that a user names. */
export function parseDelimiter(text: string): string {
  const delimiter = names[text.toLowerCase()] ?? text;
  if (delimiter.length === 1 && !/["\r\n]/.test(delimiter)) return delimiter;
  throw new FileError(
    `--delimiter ${JSON.stringify(text)} must be one character`,
    'or one of the names tab, comma, semicolon, pipe',
  );
}

export function delimiterName(delimiter: string): string {
  const named = Object.entries(names).find(([, character]) => character === delimiter);
  return named?.[0] ?? JSON.stringify(delimiter);
}

/** Removes line breaks around a row. A loop, because a pattern takes quadratic time on breaks within it. */
function withoutBreaks(raw: string): string {
  let end = raw.length;
  while (end > 0 && '\r\n'.includes(raw.charAt(end - 1))) end -= 1;
  return raw.slice(0, end).replace(/^[\r\n\ufeff]+/, '');
}
