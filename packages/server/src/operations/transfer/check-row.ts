import { z } from 'zod';
import { ConfigError } from '../../config-error.js';
import { shorten } from '../../contract/api-error.js';
import { parseInput } from '../../contract/parse-input.js';
import { domainUpdateRequest } from '../../domains/domain-contract.js';
import { planNames } from '../../organizations/plans.js';
import { qrCreateRequest } from '../../qr/qr-contract.js';
import type { Row } from '../../storage/read-in-batches.js';
import { definitionOf, keyOf } from '../../storage/schema.js';
import { urlUpsertRequest } from '../../urls/url-contract.js';
import { webhookCreateRequest } from '../../webhooks/webhook-contract.js';
import type { TransferTable } from './transfer-file.js';

/**
 * Checks a row of a file, which may be forged: its columns with their types, and where it leads visitors,
 * browsers and the server. Everything else concerns the organization only. Throws a ConfigError that names
 * the row, the column, the value and the rule.
 */
export function checkRow(line: number, table: TransferTable, row: Row): void {
  schemas[table] ??= schemaOf(table);
  const parsed = parseInput(schemas[table], row);
  if (parsed.ok) return;
  const key = keyOf(table).map((name) => shorten(String(row[name])));
  const { path, message } = parsed.details[0] ?? {};
  throw new ConfigError(`line ${line}: ${table} ${key.join(' ')}: ${path} ${message}`);
}

const schemas: { [table in TransferTable]?: z.ZodType } = {};

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

/** Returns the columns of a table that an export has, with their definitions. */
export function exportedColumns(table: TransferTable): (readonly [string, string])[] {
  const { columns, unexported = [] } = definitionOf(table);
  return Object.entries(columns).filter(([name]) => !unexported.includes(name));
}

/** Exports of earlier versions have no values of later columns. */
function schemaOf(table: TransferTable): z.ZodType {
  const schemas = exportedColumns(table).map(([name, definition]) => {
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

// Other costs would let each visit take more memory or time.
const passwordHash = z
  .string()
  .regex(
    /^\$argon2id\$v=19\$m=\d{1,5},t=\d,p=\d\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    'must be a hash by Argon2id with at most 99,999 KiB, 9 passes and 9 lanes',
  );

const checks: { readonly [table in TransferTable]?: Readonly<Record<string, z.ZodType>> } = {
  organizations: { id: z.guid(), plan: z.enum(planNames) },
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
    password_hash: passwordHash,
  },
  url_keys: { key: url.importedCode },
  qr_codes: { logo_url: qrCreateRequest.shape.logoUrl },
};

/** A text whose JSON is valid. */
function json(schema: z.ZodType): z.ZodType {
  const parsed = z.string().transform((text, { issues }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      issues.push({ code: 'custom', message: 'must be JSON', input: text });
      return z.NEVER;
    }
  });
  return parsed.pipe(schema);
}
