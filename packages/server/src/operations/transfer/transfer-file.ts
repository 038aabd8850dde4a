import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { affordableHash } from '../../auth/passwords.js';
import { ConfigError } from '../../config-error.js';
import { shorten } from '../../contract/api-error.js';
import { parseInput } from '../../contract/parse-input.js';
import { domainUpdateRequest } from '../../domains/domain-contract.js';
import { planName } from '../../organizations/plans.js';
import { qrCreateRequest } from '../../qr/qr-contract.js';
import { type Row, rowsAtOnce } from '../../storage/batches.js';
import {
  definitionOf,
  exportedColumnsOf,
  keyOf,
  type Table,
  tableNames,
} from '../../storage/schema.js';
import { urlUpsertRequest } from '../../urls/url-contract.js';
import { webhookCreateRequest } from '../../webhooks/webhook-contract.js';

/** Referenced tables first. */
export const transferTables = tableNames.filter((table) => definitionOf(table).isExported);

export interface TransferBatch {
  readonly table: Table;
  readonly rows: readonly Row[];
}

/** The first line of a file begins with it. The version increases when older files can no longer be read. */
export const fileFormat = { format: 'shorty-organization', version: 1 } as const;

const bytesOf = z
  .object({ base64: z.string() })
  .transform(({ base64 }) => Buffer.from(base64, 'base64'));
const lineSchema = z.union([
  z.object({
    table: z.enum(transferTables),
    row: z.record(z.string(), z.union([z.string(), z.number(), z.null(), bytesOf])),
  }),
  z.object({ format: z.literal(fileFormat.format), version: z.number() }),
  // Also has the number of rows by table, for people.
  z.object({ end: z.object({ /** Of every byte before this line. */ sha256: z.string() }) }),
]);

// Limits the length of the lines of a batch.
const lengthAtOnce = 1_000_000;

/**
 * Checks the rows of a file one by one, and yields them in batches of one table. Throws a ConfigError for a
 * file that is not complete, or not the known one. The first call writes its hash to `known`.
 */
export async function* readTransferFile(
  path: string,
  known: { sha256?: string },
): AsyncGenerator<TransferBatch> {
  const hash = createHash('sha256');
  let line = 0;
  let sha256: string | undefined;
  let batch = { table: 'organizations' as Table, rows: [] as Row[], length: 0 };
  for await (const text of linesOf(path)) {
    line += 1;
    if (sha256 !== undefined) throw new ConfigError(`line ${line}: there is a line after the end`);
    const parsed = parseLine(text, line);
    if ('end' in parsed) {
      sha256 = parsed.end.sha256;
      continue;
    }
    hash.update(`${text}\n`);
    if ('format' in parsed) continue;
    const { table, row } = parsed;
    checkRow(line, table, row);
    const isFull = batch.rows.length === rowsAtOnce || batch.length + text.length > lengthAtOnce;
    if (isFull || batch.table !== table) {
      if (batch.rows.length > 0) yield batch;
      batch = { table, rows: [], length: 0 };
    }
    batch.rows.push(row);
    batch.length += text.length;
  }
  if (line === 0) throw new ConfigError('the file is empty');
  if (sha256 === undefined) throw new ConfigError('the file is truncated: it has no last line');
  if (sha256 !== hash.digest('hex')) {
    throw new ConfigError('the file was changed: its hash does not match its last line');
  }
  known.sha256 ??= sha256;
  if (sha256 !== known.sha256) throw new ConfigError('the file was changed during the import');
  if (batch.rows.length > 0) yield batch;
}

function parseLine(text: string, line: number) {
  const isFirst = line === 1;
  let parsed: z.output<typeof lineSchema>;
  try {
    parsed = lineSchema.parse(JSON.parse(text));
    if (isFirst !== 'format' in parsed) throw new ConfigError('a header stands in the first line');
  } catch (cause) {
    const isNot = isFirst ? 'an export of an organization' : 'a row of a known table';
    throw new ConfigError(`line ${line}: this is not ${isNot}`, { cause });
  }
  if ('format' in parsed && parsed.version !== fileFormat.version) {
    throw new ConfigError(
      `the file has version ${parsed.version}, and this server reads version ${fileFormat.version}`,
    );
  }
  return parsed;
}

// The largest row is an image with its logo.
const maxLineLength = 64 * 1024 * 1024;

/** Yields the lines. Throws if the last one has no line feed, or one is too long for a row. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > maxLineLength) {
      throw new ConfigError(`a line has more than ${maxLineLength} characters`);
    }
  }
  if (rest !== '') throw new ConfigError('the file is truncated in the last line');
}

/**
 * Checks a row of a file, which may be forged: its columns with their types, and where it leads visitors,
 * browsers and the server. Everything else concerns the organization only. Throws a ConfigError that names
 * the row, the column, the value and the rule.
 */
function checkRow(line: number, table: Table, row: Row): void {
  schemas[table] ??= schemaOf(table);
  const parsed = parseInput(schemas[table], row);
  if (parsed.ok) return;
  const key = keyOf(table).map((name) => shorten(String(row[name])));
  const { path, message } = parsed.details[0] ?? {};
  throw new ConfigError(`line ${line}: ${table} ${key.join(' ')}: ${path} ${message}`);
}

const schemas: { [table in Table]?: z.ZodType } = {};

// No Date has more milliseconds.
const integer = z.int().max(8.64e15).min(-8.64e15);
const types: Readonly<Record<string, z.ZodType>> = {
  text: z.string(),
  secret: z.string(),
  bytes: z.instanceof(Uint8Array, { error: 'must be bytes' }),
  double: z.number(),
  // Hashes have the type of ids.
  rowId: z.int(),
};

/** Exports of earlier versions have no values of later columns. */
function schemaOf(table: Table): z.ZodType {
  const schemas = exportedColumnsOf(table).map(([name, definition]) => {
    const type = types[definition.split(' ')[0] ?? ''] ?? integer;
    const check = checks[table]?.[name];
    const schema = check ? type.pipe(check) : type;
    return [name, /not null|primary key/.test(definition) ? schema : schema.nullish()];
  });
  return z.strictObject(Object.fromEntries(schemas));
}

const url = urlUpsertRequest.shape;
const domain = domainUpdateRequest.shape;
const webhook = webhookCreateRequest.shape;

const checks: { readonly [table in Table]?: Readonly<Record<string, z.ZodType>> } = {
  organizations: { id: z.guid(), plan: planName },
  domains: {
    root_url: domain.rootUrl,
    not_found_url: domain.notFoundUrl,
    expired_url: domain.expiredUrl,
  },
  webhooks: { url: webhook.url, headers: json(webhook.headers) },
  urls: {
    target_url: url.targetUrl,
    expired_url: url.expiredUrl,
    rules: json(url.rules),
    preview: json(url.preview),
    password_hash: z.string().regex(affordableHash, 'must be a hash by Argon2id of usual cost'),
  },
  url_keys: { key: url.importedCode },
  qr_codes: { logo_url: qrCreateRequest.shape.logoUrl },
};

/** The schema of a value that is stored as JSON. A text that is no JSON remains a text, which it refuses. */
function json(schema: z.ZodType): z.ZodType {
  const parsed = z.string().transform((text): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  });
  return parsed.pipe(schema);
}
