import { UsageError } from '../cli-error.js';
import {
  type ColumnTest,
  delimiterName,
  detectDelimiter,
  parseDelimiter,
  readSepLine,
} from './csv-delimiter.js';
import { CsvReader, type CsvRecord } from './csv-reader.js';
import { type ImportInput, type InputFacts, inspectInput, readText } from './import-input.js';
import type { RecordBatch } from './plan-chunks.js';

export interface CsvOptions {
  /** A label that TextDecoder knows; detected from the bytes by default. */
  readonly encoding?: string | undefined;
  /** One character or its name; detected from the first line by default. */
  readonly delimiter?: string | undefined;
  /** False when the first row has values; true by default. */
  readonly hasHeader?: boolean | undefined;
  /** Whether a header has a column that the command knows. */
  readonly isKnownColumn?: ColumnTest | undefined;
}

/** A CSV file with a known encoding and delimiter. */
export interface CsvFile {
  readonly input: ImportInput;
  readonly sha256: string;
  readonly encoding: string;
  readonly delimiter: string;
  /** The line end of the first line. */
  readonly lineEnd: string;
  readonly hasByteOrderMark: boolean;
  /** Detected properties that the user should know. */
  readonly notes: readonly string[];
  /** Yields all rows including the header. Can be called several times. Throws if the file has changed. */
  records(): AsyncGenerator<RecordBatch>;
}

export async function inspectCsv(
  input: ImportInput,
  { hasHeader = true, isKnownColumn, ...options }: CsvOptions,
): Promise<CsvFile> {
  const named = options.encoding === undefined ? undefined : encodingLabel(options.encoding);
  const facts = await inspectInput(input);
  const { hasByteOrderMark } = facts.encoding;
  const encoding = named ?? facts.encoding.label;
  const start = await readStart(input, encoding);
  if (named === undefined && start.includes('\0')) {
    throw new UsageError(
      `${input.name} is not a text file; export the links as CSV`,
      'for text in UTF-16, use --encoding utf-16le or utf-16be',
    );
  }
  const sepLine = readSepLine(start);
  const delimiter =
    options.delimiter === undefined
      ? (sepLine ?? detectDelimiter(start, hasHeader ? isKnownColumn : undefined))
      : parseDelimiter(options.delimiter);
  const notes: string[] = [];
  if (named === undefined && encoding !== 'utf-8') {
    const why = explainEncoding(encoding, hasByteOrderMark);
    notes.push(`reading ${input.name} as ${encoding} (${why}); use --encoding to change it`);
  }
  if (options.delimiter === undefined && delimiter !== ',') {
    const name = delimiterName(delimiter);
    notes.push(`columns are separated by a ${name}; --delimiter changes this`);
  }
  return {
    input,
    sha256: facts.sha256,
    encoding,
    delimiter,
    lineEnd: findLineEnd(start) ?? '\n',
    hasByteOrderMark,
    notes,
    records: () => {
      const records = readRecords(input, facts, { encoding, delimiter });
      return sepLine === undefined ? records : withoutFirst(records);
    },
  };
}

function explainEncoding(encoding: string, hasByteOrderMark: boolean): string {
  if (hasByteOrderMark) return 'by its byte order mark';
  return encoding === 'windows-1252' ? 'it is not UTF-8' : 'by its zero bytes';
}

function encodingLabel(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(
      `--encoding ${name}: unknown encoding`,
      'for example utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis',
    );
  }
}

/** Enough text to hold the first line that is not blank. */
async function readStart(input: ImportInput, encoding: string): Promise<string> {
  let start = '';
  for await (const { text } of readText(input, encoding)) {
    start += text;
    const lineEnd = findLineEnd(start);
    // A CR at the end of the block may be the first half of a CRLF.
    const isWhole = lineEnd !== undefined && !(lineEnd === '\r' && start.endsWith('\r'));
    if (isWhole || start.length > 1024 * 1024) break;
  }
  return start;
}

/** Returns the line end of the first line that is not blank. One pattern for both would be quadratic. */
function findLineEnd(text: string): string | undefined {
  const content = text.search(/\S/);
  if (content === -1) return undefined;
  const pattern = /\r\n|\n|\r/g;
  pattern.lastIndex = content;
  return pattern.exec(text)?.[0];
}

async function* readRecords(
  input: ImportInput,
  facts: InputFacts,
  { encoding, delimiter }: { encoding: string; delimiter: string },
): AsyncGenerator<RecordBatch> {
  const reader = new CsvReader(delimiter);
  let bytesRead = 0;
  for await (const block of readText(input, encoding, facts)) {
    bytesRead = block.bytesRead;
    yield { records: reader.push(block.text), chars: block.text.length, bytesRead };
  }
  yield { records: reader.finish(), chars: 0, bytesRead };
}

/** Yields the batches without the first record. */
export async function* withoutFirst(
  batches: AsyncIterable<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  let isFirst = true;
  function* skipFirst(records: Iterable<CsvRecord>): Generator<CsvRecord> {
    for (const record of records) {
      if (!isFirst) yield record;
      isFirst = false;
    }
  }
  for await (const batch of batches) {
    yield isFirst ? { ...batch, records: skipFirst(batch.records) } : batch;
  }
}
