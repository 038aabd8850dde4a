import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../config-error.js';
import type { Row } from '../../storage/read-in-batches.js';
import { definitionOf, type Table, tableNames } from '../../storage/schema.js';
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
  readonly length: number;
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
 * Yields the rows of a file, unchecked. Calls `onEnd` with the hash of a complete file, and throws a
 * ConfigError for any other.
 */
export async function* readTransferFile(
  path: string,
  onEnd: (sha256: string) => void,
): AsyncGenerator<TransferRow> {
  const hash = createHash('sha256');
  let line = 0;
  let sha256: string | undefined;
  for await (const text of linesOf(path)) {
    line += 1;
    if (sha256 !== undefined) throw new ConfigError(`line ${line}: there is a line after the end`);
    if (line === 1) checkHead(text);
    // Matches the form that `writeTransferFile` writes.
    else if (text.startsWith('{"end":{')) {
      sha256 = parse(endLine, text, line).end.sha256;
      continue;
    } else {
      const { table, row } = parse(rowLine, text, line);
      yield { line, length: text.length, table, row };
    }
    hash.update(`${text}\n`);
  }
  if (line === 0) throw new ConfigError('the file is empty');
  if (sha256 === undefined)
    throw new ConfigError('the file is truncated: its last line is missing');
  if (sha256 !== hash.digest('hex')) {
    throw new ConfigError('the file was changed: its hash does not match its last line');
  }
  onEnd(sha256);
}

function checkHead(text: string): void {
  const head = parse(headLine, text, 1, 'this is not an export of an organization');
  if (head.version === version) return;
  throw new ConfigError(
    `the file has version ${head.version}, and this server reads version ${version}`,
  );
}

function parse<S extends z.ZodType>(
  schema: S,
  text: string,
  line: number,
  otherwise = 'this is not a row of a known table',
): z.output<S> {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError(`line ${line}: ${otherwise}`, { cause });
  }
}

/** Returns the columns of a table that an export has, with their definitions. */
export function exportedColumns(table: TransferTable): (readonly [string, string])[] {
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

// The largest row is an image with its logo.
const maxLineLength = 64 * 1024 * 1024;

/** Yields the lines. Throws if the last one has no line feed. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  let count = 0;
  for await (const chunk of createReadStream(path, {
    encoding: 'utf8',
    highWaterMark: 1_048_576,
  })) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    count += lines.length;
    yield* lines;
    if (rest.length > maxLineLength)
      throw new ConfigError(`line ${count + 1} is longer than ${maxLineLength} characters`);
  }
  if (rest !== '') throw new ConfigError(`the file is truncated in line ${count + 1}`);
}
