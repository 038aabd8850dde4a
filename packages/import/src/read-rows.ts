import { isJson, jsonToCsv } from './json-export.js';
import type { LinkSource } from './link-sources.js';
import {
  type CsvRow,
  delimiterName,
  detectDelimiter,
  parseDelimiter,
  readCsv,
} from './read-csv.js';
import { FileError } from './text-format.js';

const maxJsonLength = 256_000_000;

/** A text that can be read several times. */
export interface TextSource {
  /** The name for messages, such as the file name. */
  readonly name: string;
  text(): AsyncIterable<string>;
}

/** The rows of a text, and how it was read. */
export interface TextRows {
  readonly delimiter: string;
  /** The line end of the file. */
  readonly lineEnd: string;
  readonly notes: readonly string[];
  /** All rows including the header. Can be called several times. */
  all(): AsyncGenerator<CsvRow>;
}

export interface ReadOptions {
  /** One character or its name; detected from the header by default. */
  readonly delimiter?: string | undefined;
  /** The service that wrote the file, if it is known. Its exports may be JSON. */
  readonly source?: LinkSource | undefined;
  /** Whether a column has a meaning. */
  readonly isKnown: (title: string) => boolean;
}

/** Reads CSV or, with a service, a JSON export. */
export async function readRows(
  file: TextSource,
  { delimiter: named, source, isKnown }: ReadOptions,
): Promise<TextRows> {
  const start = await readStart(file);
  if (source && isJson(start)) {
    let text = '';
    // A JSON document must be in memory as a whole.
    for await (const part of file.text()) {
      text += part;
      if (text.length <= maxJsonLength) continue;
      throw new FileError(
        `${file.name} is JSON of more than 256 MB`,
        'split it into several files',
      );
    }
    const csv = jsonToCsv(text, file.name, source, isKnown);
    const notes = [`reading ${file.name} as JSON; "line 2" in messages is its first link`];
    return { delimiter: ',', lineEnd: '\n', notes, all: () => readCsv([csv], ',') };
  }
  const sep = /^"?sep=([^"\r\n])"?[\r\n]/i.exec(start)?.[1];
  const detected = sep ?? detectDelimiter(start, isKnown);
  const delimiter = named === undefined ? detected : parseDelimiter(named);
  const notes =
    named === undefined && delimiter !== ','
      ? [`columns are separated by a ${delimiterName(delimiter)}; --delimiter changes this`]
      : [];
  // Spreadsheets put the titles in quotes when they write quotes at all.
  const isMysqlBatch =
    source?.isMysqlTable === true && delimiter === '\t' && !start.trimStart().startsWith('"');
  const rows = () => readCsv(file.text(), delimiter, { isMysqlBatch });
  const lineEnd = /\r\n|\n|\r/.exec(start)?.[0] ?? '\n';
  const all = sep === undefined ? rows : () => withoutFirst(rows());
  return { delimiter, lineEnd, notes, all };
}

async function readStart(file: TextSource): Promise<string> {
  for await (const part of file.text()) if (part.trim() !== '') return part;
  return '';
}

export async function* withoutFirst(
  rows: AsyncIterable<CsvRow>,
  convert = (row: CsvRow) => row,
): AsyncGenerator<CsvRow> {
  let isFirst = true;
  for await (const row of rows) {
    if (!isFirst) yield convert(row);
    isFirst = false;
  }
}
