import type { z } from 'zod';
import { ConfigError } from '../../config-error.js';
import { parseInput } from '../../contract/parse-input.js';
import { domainUpdateRequest } from '../../domains/domain-contract.js';
import { findTargetUrlError } from '../../network/target-url.js';
import type { Value } from '../../storage/database.js';
import type { Row } from '../../storage/read-in-batches.js';
import type { PreviewFetch } from '../../urls/link-preview.js';
import { previewSetting } from '../../urls/preview-contract.js';
import type { TransferRow } from './transfer-file.js';

/**
 * Checks the addresses, documents and previews of a row, which visitors get. A request for them would be
 * checked in the same way, and a file may be forged.
 */
export function checkSettings({ table, row, line }: Pick<TransferRow, 'table' | 'row' | 'line'>) {
  const error =
    table === 'domains' ? findDomainError(row) : table === 'urls' ? findUrlError(row) : undefined;
  if (error !== undefined) throw new ConfigError(`line ${line}: ${table}.${error}`);
}

function findDomainError(row: Row): string | undefined {
  for (const column of ['ignore_case', 'forward_query', 'forward_path']) {
    if (row[column] !== undefined && row[column] !== 0 && row[column] !== 1) {
      return `${column} must be 0 or 1`;
    }
  }
  for (const column of ['apple_app_site_association', 'asset_links']) {
    if (parseJson(row[column]) === undefined) return `${column} must be JSON`;
  }
  return findError(domainUpdateRequest, {
    rootUrl: row.root_url,
    notFoundUrl: row.not_found_url,
    expiredUrl: row.expired_url,
    appleAppSiteAssociation: parseJson(row.apple_app_site_association),
    assetLinks: parseJson(row.asset_links),
  });
}

function findUrlError(row: Row): string | undefined {
  // A link that is being erased has no target.
  for (const column of row.target_url === '' ? [] : ['target_url', 'expired_url']) {
    const error = row[column] == null ? undefined : findTargetUrlError(String(row[column]));
    if (error !== undefined) return `${column} ${error}`;
  }
  const preview = row.preview === 'auto' ? 'auto' : parseJson(row.preview);
  const fetched = parseJson(row.preview_fetch) as PreviewFetch | null | undefined;
  if (preview === undefined) return 'preview must be auto or JSON';
  if (fetched === undefined) return 'preview_fetch must be JSON';
  const result = fetched?.last?.result ?? null;
  const shown = result !== null && 'error' in result ? null : result;
  return (
    findError(previewSetting.nullable(), preview) ?? findError(previewSetting.nullable(), shown)
  );
}

/** Returns the field of the first error, and what is wrong with it. */
function findError(schema: z.ZodType, value: unknown): string | undefined {
  const parsed = parseInput(schema, value);
  const [first] = parsed.ok ? [] : parsed.details;
  return first && `${first.path || 'preview'} ${first.message}`;
}

/** Returns the value of a JSON text; null without a text, and undefined if it is no JSON. */
function parseJson(text: Value | undefined): unknown {
  if (text == null) return null;
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
