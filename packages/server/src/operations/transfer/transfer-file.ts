import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../config-error.js';
import type { Row } from '../../storage/read-in-batches.js';
import { type TransferTable, transferTables } from './transfer-tables.js';

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

export interface TransferRow {
  readonly line: number;
  readonly table: TransferTable;
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

/** Yields the rows of a file. Throws a ConfigError, at the end at the latest, if it is not complete. */
export async function* readTransferFile(path: string): AsyncGenerator<TransferRow> {
  const hash = createHash('sha256');
  let lines = 0;
  let sha256: string | undefined;
  for await (const { line, bytes } of linesOf(path)) {
    lines = line;
    if (sha256 !== undefined) throw new ConfigError(`line ${line}: there is a line after the end`);
    if (line === 1) checkHead(bytes);
    else if (isEnd(bytes)) {
      sha256 = parse(endLine, bytes, line).end.sha256;
      continue;
    } else yield { line, ...parse(rowLine, bytes, line) };
    hash.update(bytes).update('\n');
  }
  if (lines === 0) throw new ConfigError('the file is empty');
  if (sha256 === undefined)
    throw new ConfigError('the file is truncated: its last line is missing');
  if (sha256 !== hash.digest('hex')) {
    throw new ConfigError('the file was changed: its hash does not match its last line');
  }
}

function checkHead(bytes: Buffer): void {
  const head = parse(headLine, bytes, 1, 'this is not an export of an organization');
  if (head.version === version) return;
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
  try {
    return schema.parse(JSON.parse(bytes.toString()));
  } catch (cause) {
    throw new ConfigError(`line ${line}: ${otherwise}`, { cause });
  }
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
