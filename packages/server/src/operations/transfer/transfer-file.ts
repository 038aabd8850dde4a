import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../config-error.js';
import { shorten } from '../../contract/api-error.js';
import { secretNames } from '../../contract/parse-input.js';
import type { Value } from '../../storage/database.js';
import type { Row } from '../../storage/read-in-batches.js';
import { definitionOf, keyOf, type Table, tableNames } from '../../storage/schema.js';
import type { tables } from '../../storage/tables.js';

/** A table of the export of an organization. */
export type TransferTable = {
  [Name in Table]: (typeof tables)[Name] extends { readonly isExported: true } ? Name : never;
}[Table];

/** Referenced tables first. */
export const transferTables = tableNames.filter(
  (table): table is TransferTable => definitionOf(table).isExported === true,
);

/** Rows of a table. */
export interface TransferBatch {
  readonly table: TransferTable;
  readonly rows: readonly Row[];
}

export interface TransferRow {
  readonly line: number;
  /** The length of the line. */
  readonly bytes: number;
  readonly table: TransferTable;
  readonly row: Row;
}

// Increases when older files can no longer be read.
const version = 1;
const format = 'shorty-organization';

const headLine = z.object({ format: z.literal(format), version: z.number() });
const bytesOf = z
  .object({ base64: z.string() })
  .transform(({ base64 }) => Buffer.from(base64, 'base64'));
const rowLine = z.object({
  table: z.enum(transferTables),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null(), bytesOf])),
});
/** The end also has the number of rows by table, for people. */
const endLine = z.object({
  end: z.object({ /** Of every byte before this line. */ sha256: z.string() }),
});

/** Yields the lines of a file: a header, the rows, and an end with counts and a hash. */
export async function* writeTransferFile(
  organizationId: string,
  batches: AsyncIterable<TransferBatch>,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const counts = new Map<string, number>();
  const addToHash = (line: object) => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    return text;
  };
  yield addToHash({ format, version, organizationId });
  for await (const { table, rows } of batches) {
    counts.set(table, (counts.get(table) ?? 0) + rows.length);
    for (const row of rows) yield addToHash({ table, row: toJson(table, row) });
  }
  const end = { rows: Object.fromEntries(counts), sha256: hash.digest('hex') };
  yield `${JSON.stringify({ end })}\n`;
}

/**
 * Yields the rows of a file, which may be forged: each has the columns of an export, with values of their
 * types. Calls `onEnd` with the hash of a complete file, and throws a ConfigError for any other.
 */
export async function* readTransferFile(
  path: string,
  onEnd: (sha256: string) => void,
): AsyncGenerator<TransferRow> {
  const hash = createHash('sha256');
  let lines = 0;
  let sha256: string | undefined;
  for await (const { line, bytes } of linesOf(path)) {
    lines = line;
    if (sha256 !== undefined) throw new ConfigError(`line ${line}: there is a line after the end`);
    if (line === 1) checkHead(bytes);
    // Matches the form that `writeTransferFile` writes.
    else if (bytes.subarray(0, 8).toString() === '{"end":{') {
      sha256 = parse(endLine, bytes, line).end.sha256;
      continue;
    } else {
      const { table, row } = parse(rowLine, bytes, line);
      yield { line, bytes: bytes.length, table, row: toRow(table, row, line) };
    }
    hash.update(bytes).update('\n');
  }
  if (lines === 0) throw new ConfigError('the file is empty');
  if (sha256 === undefined)
    throw new ConfigError('the file is truncated: its last line is missing');
  if (sha256 !== hash.digest('hex')) {
    throw new ConfigError('the file was changed: its hash does not match its last line');
  }
  onEnd(sha256);
}

function checkHead(bytes: Buffer): void {
  const head = parse(headLine, bytes, 1, 'this is not an export of an organization');
  if (head.version === version) return;
  throw new ConfigError(
    `the file has version ${head.version}, and this server reads version ${version}`,
  );
}

function parse<S extends z.ZodType>(
  schema: S,
  bytes: Buffer,
  line: number,
  otherwise = 'this is not a row of a known table',
): z.output<S> {
  try {
    return schema.parse(JSON.parse(bytes.toString()));
  } catch (cause) {
    throw new ConfigError(`line ${line}: ${otherwise}`, { cause });
  }
}

function exportedColumns(table: TransferTable): readonly (readonly [string, string])[] {
  const { columns, unexported = [] } = definitionOf(table);
  return Object.entries(columns).filter(([name]) => !unexported.includes(name));
}

function toJson(table: TransferTable, row: Row) {
  return Object.fromEntries(
    exportedColumns(table).map(([name]) => {
      const value = row[name];
      const isBytes = value instanceof Uint8Array;
      return [name, isBytes ? { base64: Buffer.from(value).toString('base64') } : value];
    }),
  );
}

/** Returns a row whose columns are named by the registry. */
function toRow(table: TransferTable, given: Readonly<Record<string, Value>>, line: number): Row {
  const columns = exportedColumns(table);
  const unknown = Object.keys(given).find((name) => columns.every(([known]) => known !== name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `line ${line}: this version has no column ${table}.${unknown}; import the file with the version that exported it`,
    );
  }
  const row = Object.fromEntries(columns.map(([name]) => [name, given[name] ?? null]));
  for (const [name, definition] of columns) {
    const rule = findTypeError(row[name] ?? null, definition);
    if (rule !== undefined) throw wrongValue({ line, table, row }, name, rule);
  }
  return row;
}

// No Date has more milliseconds.
const maxInteger = 8.64e15;

/** Returns the rule of a column's type that a value breaks. */
function findTypeError(value: Value, definition: string): string | undefined {
  if (value === null) {
    return /not null|primary key/.test(definition) ? 'must not be null' : undefined;
  }
  const [type] = definition.split(' ');
  if (type === 'text' || type === 'secret')
    return typeof value === 'string' ? undefined : 'must be a string';
  if (type === 'bytes') return value instanceof Uint8Array ? undefined : 'must be bytes';
  if (type === 'double') return typeof value === 'number' ? undefined : 'must be a number';
  if (!Number.isSafeInteger(value)) return 'must be a whole number';
  // Hashes have the type of ids.
  const isTooLarge = type !== 'rowId' && Math.abs(value as number) > maxInteger;
  return isTooLarge ? `must be at most ${maxInteger}` : undefined;
}

/** Returns the error of a value, with the row, the column, and the rule. */
export function wrongValue(
  { line, table, row }: Omit<TransferRow, 'bytes'>,
  column: string,
  rule: string,
): ConfigError {
  const value = row[column];
  const isShown = !(value instanceof Uint8Array) && !secretNames.test(column);
  const shown = typeof value === 'string' ? shorten(value) : value;
  const key = keyOf(table).map((name) => shorten(String(row[name])));
  const name = isShown ? `${column} is ${JSON.stringify(shown)}: it` : column;
  return new ConfigError(`line ${line}: ${table} ${key.join(' ')}: ${name} ${rule}`);
}

const lineFeed = 0x0a;
// The largest row is an image with its logo.
const maxLineBytes = 64 * 1024 * 1024;

/** Yields the lines, numbered from 1. Throws if the last one has no line feed. */
async function* linesOf(path: string): AsyncGenerator<{ line: number; bytes: Buffer }> {
  let rest = Buffer.alloc(0);
  let line = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      line += 1;
      yield { line, bytes: bytes.subarray(start, end) };
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > maxLineBytes)
      throw new ConfigError(`line ${line + 1} is longer than ${maxLineBytes} bytes`);
  }
  if (rest.length > 0) throw new ConfigError(`the file is truncated in line ${line + 1}`);
}
