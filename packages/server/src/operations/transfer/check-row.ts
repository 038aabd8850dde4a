import { z } from 'zod';
import { decodeColumns, toRow } from '../../analytics/ingest/columns-codec.js';
import { ConfigError } from '../../config-error.js';
import { domainUpdateRequest } from '../../domains/domain-contract.js';
import { findTargetUrlError } from '../../network/target-url.js';
import { planNames } from '../../organizations/plans.js';
import { qrCreateRequest } from '../../qr/qr-contract.js';
import { urlUpsertRequest } from '../../urls/url-contract.js';
import { webhookCreateRequest } from '../../webhooks/webhook-contract.js';
import { type TransferRow, type TransferTable, wrongValue } from './transfer-file.js';

/**
 * Checks a row of a file, which may be forged: where it leads visitors, browsers and the server, and what
 * threads of all organizations decode. Everything else concerns the organization only. Throws a ConfigError.
 */
export function checkRow(each: TransferRow): void {
  const { table, row, line } = each;
  for (const [column, schema] of Object.entries(checks[table] ?? {})) {
    const value = row[column] ?? null;
    const [issue] = value === null ? [] : (schema.safeParse(value).error?.issues ?? []);
    if (issue) throw wrongValue(each, column, issue.message);
  }
  if (table !== 'visits') return;
  try {
    const { visits: _, ...ranges } = toRow(decodeColumns(row.visits as Uint8Array));
    const wrong = Object.entries(ranges).find(([column, value]) => row[column] !== value);
    if (!wrong) return;
    throw new RangeError(`${wrong[0]} must be ${wrong[1]}`);
  } catch (cause) {
    throw new ConfigError(`line ${line}: the visits cannot be decoded`, { cause });
  }
}

const url = urlUpsertRequest.shape;
const domain = domainUpdateRequest.shape;
const webhook = webhookCreateRequest.shape;

const targetUrl = z.string().check(({ value, issues }) => {
  const message = findTargetUrlError(value);
  if (message) issues.push({ code: 'custom', message, input: value });
});

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
    target_url: targetUrl,
    expired_url: url.expiredUrl,
    rules: json(url.rules),
    preview: json(url.preview),
    password_hash: passwordHash,
  },
  url_keys: { key: url.importedCode },
  qr_codes: { logo_url: qrCreateRequest.shape.logoUrl },
};

/** A text whose JSON is valid. The error names the place within it. */
function json(schema: z.ZodType): z.ZodType {
  return z.string().check(({ value, issues }) => {
    const [issue] = parseJson(value, schema);
    if (!issue) return;
    const path = issue.path.map(String).join('.');
    issues.push({ code: 'custom', message: `${issue.message} (${path})`, input: value });
  });
}

function parseJson(text: string, schema: z.ZodType) {
  try {
    return schema.safeParse(JSON.parse(text)).error?.issues ?? [];
  } catch {
    return [{ message: 'must be JSON', path: [] }];
  }
}
