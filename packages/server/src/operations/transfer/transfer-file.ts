import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ConfigError } from '../../config-error.js';
import type { Row } from '../../storage/read-in-batches.js';
import { type TransferTable, transferTables } from './transfer-tables.js';

// Increases when older files can no longer be read.
const version = 1;
const format = 'shorty-organization';

const headLine = z.object({
  format: z.literal(format),
  version: z.number(),
  organizationId: z.string(),
});
const bytesOf = z
  .object({ base64: z.string() })
  .transform(({ base64 }) => Buffer.from(base64, 'base64'));
const rowLine = z.object({
  table: z.enum(transferTables.map(({ name }) => name)),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null(), bytesOf])),
});
const endLine = z.object({
  end: z.object({
    /** The number of rows by table. */
    rows: z.record(z.string(), z.number()),
    /** The hash of every byte before this line. */
    sha256: z.string(),
  }),
});

/** The contents of a checked file. */
export interface TransferSummary {
  readonly organizationId: string;
  /** The number of rows by table. */
  readonly rows: ReadonlyMap<string, number>;
  /** The smallest and the greatest id of its links; undefined if it has none. */
  readonly urlIds: { readonly first: number; readonly last: number } | undefined;
}

export interface TransferRow {
  readonly line: number;
  readonly table: TransferTable['name'];
  readonly row: Row;
}

/** Yields the lines of a file: a header, the rows, and an end with counts and a hash. */
export async function* writeTransferFile(
  organizationId: string,
  rows: AsyncIterable<Omit<TransferRow, 'line'>>,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const counts = new Map<string, number>();
  const addToHash = (line: object) => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    return text;
  };
  yield addToHash({ format, version, organizationId });
  for await (const { table, row } of rows) {
    counts.set(table, (counts.get(table) ?? 0) + 1);
    yield addToHash({ table, row: toJson(row) });
  }
  const end = { rows: Object.fromEntries(counts), sha256: hash.digest('hex') };
  yield `${JSON.stringify({ end })}\n`;
}

/** Reads the whole file and returns its summary. Throws a ConfigError if it is incomplete. */
export async function checkTransferFile(path: string): Promise<TransferSummary> {
  const hash = createHash('sha256');
  const rows = new Map<string, number>();
  let organizationId: string | undefined;
  let end: z.infer<typeof endLine>['end'] | undefined;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for await (const { line, bytes } of linesOf(path)) {
    if (end) throw new ConfigError(`line ${line}: there is a line after the end`);
    if (organizationId === undefined) organizationId = readHead(bytes);
    else if (isEnd(bytes)) {
      end = parse(endLine, bytes, line).end;
      continue;
    } else {
      const { table, row } = parse(rowLine, bytes, line);
      rows.set(table, (rows.get(table) ?? 0) + 1);
      if (table === 'urls') {
        first = Math.min(first, Number(row.id));
        last = Math.max(last, Number(row.id));
      }
    }
    hash.update(bytes).update('\n');
  }
  if (organizationId === undefined) throw new ConfigError('the file is empty');
  if (!end) throw new ConfigError('the file is truncated: its last line is missing');
  const isCounted = isDeepStrictEqual(new Map(Object.entries(end.rows)), rows);
  if (end.sha256 !== hash.digest('hex') || !isCounted) {
    throw new ConfigError(
      'the file was changed: its counts or its hash do not match its last line',
    );
  }
  return { organizationId, rows, urlIds: first <= last ? { first, last } : undefined };
}

/** Yields the rows of a checked file. */
export async function* readTransferRows(path: string): AsyncGenerator<TransferRow> {
  for await (const { line, bytes } of linesOf(path)) {
    if (line === 1 || isEnd(bytes)) continue;
    yield { line, ...parse(rowLine, bytes, line) };
  }
}

function readHead(bytes: Buffer): string {
  const head = parse(headLine, bytes, 1, 'this is not an export of an organization');
  if (head.version === version) return head.organizationId;
  throw new ConfigError(
    `the file has version ${head.version}, and this server reads version ${version}`,
  );
}

// Matches the form that `writeTransferFile` writes.
function isEnd(bytes: Buffer): boolean {
  return bytes.subarray(0, 8).toString() === '{"end":{';
}

function parse<S extends z.ZodType>(
  schema: S,
  bytes: Buffer,
  line: number,
  otherwise = 'this is not a row of a known table',
): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (cause) {
    throw new ConfigError(`line ${line}: ${otherwise}`, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`line ${line}: ${otherwise}`, { cause: parsed.error });
}

function toJson(row: Row) {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
    ]),
  );
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
