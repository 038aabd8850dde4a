import { z } from 'zod';
import { summaryVersion } from '../../analytics/reports/pruned-days.js';
import { scopes as allScopes, keyScopes } from '../../contract/define-route.js';
import { domainCreateRequest, domainUpdateRequest } from '../../domains/domain-contract.js';
import { findTargetUrlError } from '../../network/target-url.js';
import { ownOrganizationUpdateRequest } from '../../organizations/own-organization-contract.js';
import { meters, planNames } from '../../organizations/plans.js';
import { qrCreateRequest } from '../../qr/qr-contract.js';
import type { tables } from '../../storage/tables.js';
import { parseTags } from '../../storage/tag-text.js';
import { urlUpsertRequest } from '../../urls/url-contract.js';
import { disabledReasons, webhookCreateRequest } from '../../webhooks/webhook-contract.js';
import type { TransferTable } from './transfer-tables.js';

/** A check of a value that has the type of its column and is not null. */
export interface ValueCheck {
  /** Returns the value to validate. Throws an error with the rule if the stored text has no such value. */
  readonly parse: (stored: unknown) => unknown;
  readonly schema: z.ZodType;
}

/**
 * How the import checks a column. `plain`: no code interprets the value, beyond its type. `ofServer`: the
 * value is of the exporting server. It is not exported, and the import ignores it.
 */
export type ColumnCheck = ValueCheck | 'plain' | 'ofServer';

const url = urlUpsertRequest.shape;
const domain = domainUpdateRequest.shape;
const qr = qrCreateRequest.shape;
const webhook = webhookCreateRequest.shape;

const plain = 'plain';
const ofServer = 'ofServer';
const flag = value(z.literal([0, 1], { error: 'must be 0 or 1' }));
const count = value(z.int().min(0));
const latestDate = 8.64e15;
/** Milliseconds since 1970 that a Date can have. */
const instant = value(z.int().min(0).max(latestDate));
const plan = value(z.enum(planNames));
const key = value(url.importedCode);
const expiredUrl = value(url.expiredUrl);

// Other costs would let each visit take more memory or time.
const passwordHash = z
  .string()
  .regex(
    /^\$argon2id\$v=19\$m=\d{1,5},t=\d,p=\d\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    'must be a hash by Argon2id with at most 99,999 KiB, 9 passes and 9 lanes',
  );

// A link that is being erased has no target.
const targetUrl = z.string().check(({ value: text, issues }) => {
  const error = text === '' ? undefined : findTargetUrlError(text);
  if (error) issues.push({ code: 'custom', message: error, input: text });
});

const entry = z.record(z.string(), z.union([z.string(), z.number()]));
const daySummary = z.array(
  z.looseObject({
    version: z.int().min(1).max(summaryVersion).optional(),
    totals: z.record(z.string(), z.number()),
    breakdowns: z.record(z.string(), z.array(entry)),
    timeseries: z.array(z.looseObject({ bucket: z.iso.datetime() })),
  }),
);

/** The path of a webhook stream, which has no receiver. */
const streamPath = /^\/api\/v1\/webhooks\/streams\/[\da-f-]{36}$/;
const receiver = z.string().check(({ value: text, issues }) => {
  if (streamPath.test(text)) return;
  for (const { message } of webhook.url.safeParse(text).error?.issues ?? []) {
    issues.push({ code: 'custom', message, input: text });
  }
});

/**
 * The check of each column of an export. A file may be forged, so a value that the redirect path or the API
 * interprets is validated by the schema of the request that sets it.
 */
export const columnChecks = {
  organizations: {
    id: value(z.guid()),
    name: plain,
    plan,
    active_urls: count,
    created_at: instant,
    suspended_at: instant,
    deletion_started_at: instant,
    exclude_addresses: list(',', ownOrganizationUpdateRequest.shape.excludeAddresses),
    chunks_complete_from: ofServer,
  },
  clients: {
    id: plain,
    organization_id: plain,
    secret_hash: plain,
    scopes: list(' ', z.array(z.enum(allScopes))),
    created_at: instant,
    revoked_at: instant,
    name: plain,
    expires_at: instant,
  },
  api_keys: {
    id: plain,
    organization_id: plain,
    name: plain,
    key_hash: plain,
    key_start: plain,
    scopes: list(' ', z.array(z.enum(keyScopes))),
    created_by: plain,
    created_at: instant,
    expires_at: instant,
    last_used_at: instant,
  },
  domains: {
    id: value(z.guid()),
    organization_id: plain,
    hostname: value(domainCreateRequest.shape.hostname),
    is_active: flag,
    created_at: instant,
    challenge: plain,
    verified_at: instant,
    last_checked_at: instant,
    last_error: plain,
    deleted_at: instant,
    root_url: value(domain.rootUrl),
    not_found_url: value(domain.notFoundUrl),
    expired_url: value(domain.expiredUrl),
    ignore_case: flag,
    forward_query: flag,
    forward_path: flag,
    apple_app_site_association: json(domain.appleAppSiteAssociation),
    asset_links: json(domain.assetLinks),
    updated_at: instant,
  },
  usage_meters: {
    organization_id: plain,
    month: value(z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, such as 2030-01')),
    meter: value(z.enum(meters)),
    used: count,
  },
  plan_changes: { organization_id: plain, changed_at: instant, plan_before: plan },
  webhooks: {
    id: value(z.guid()),
    organization_id: plain,
    url: value(receiver),
    events: json(webhook.events),
    secret: plain,
    is_active: flag,
    created_at: instant,
    updated_at: instant,
    previous_secret: plain,
    previous_secret_expires_at: instant,
    deleted_at: instant,
    last_success_at: instant,
    failing_since: instant,
    failure_rate: value(z.number().min(0).max(1)),
    disabled_at: instant,
    disabled_reason: value(z.enum(disabledReasons)),
    description: plain,
    filters: json(webhook.filters),
    headers: json(webhook.headers),
    unsubscribed_at: instant,
    oldest_secret: plain,
    oldest_secret_expires_at: instant,
    expires_at: instant,
    connection_id: plain,
    leased_by: ofServer,
    leased_until: ofServer,
  },
  urls: {
    id: value(z.int().min(1)),
    organization_id: plain,
    domain_id: plain,
    short_code: key,
    custom_slug: value(url.customSlug),
    target_url: value(targetUrl),
    title: plain,
    description: plain,
    category: plain,
    tags: { parse: (text) => parseTags(text as string), schema: url.tags },
    redirect_type: value(url.redirectType),
    expires_at: instant,
    password_hash: value(passwordHash),
    utm_source: value(url.utmSource),
    utm_medium: value(url.utmMedium),
    utm_campaign: value(url.utmCampaign),
    utm_term: value(url.utmTerm),
    utm_content: value(url.utmContent),
    custom_utm_params: json(url.customUtmParams),
    source_domain: plain,
    is_active: flag,
    created_at: instant,
    updated_at: instant,
    search_text: ofServer,
    settings_hash: ofServer,
    imported_clicks: value(url.importedClicks),
    click_thresholds: json(url.clickThresholds),
    forward_query: flag,
    forward_path: flag,
    activates_at: instant,
    expired_url: expiredUrl,
    deleted_at: instant,
    max_clicks: value(url.maxClicks),
    external_id: plain,
    rules: json(url.rules),
    preview: json(url.preview),
  },
  url_keys: { domain_key: plain, key, url_id: plain },
  // `importRetiredKeys` checks the link.
  retired_keys: { key_hash: plain, organization_id: plain, url_id: plain },
  url_clicks: {
    url_id: plain,
    clicks: count,
    last_clicked_at: instant,
    erased_until: instant,
    erasure_pending: flag,
    peak_clicks: count,
    erased_clicks: count,
  },
  // `checkRow` decodes the visits.
  visit_chunks: {
    url_id: plain,
    number: count,
    first_at: instant,
    last_at: instant,
    visit_count: count,
    visits: plain,
  },
  click_days: {
    url_id: plain,
    day: instant,
    clicks: count,
    summary: json(daySummary),
    scans: count,
  },
  qr_codes: {
    id: value(z.guid()),
    organization_id: plain,
    url_id: plain,
    qr_data: value(qr.data),
    format: value(qr.format),
    size: value(qr.size),
    error_correction: value(qr.errorCorrectionLevel),
    foreground_color: value(qr.foregroundColor),
    background_color: value(qr.backgroundColor),
    logo_url: value(qr.logoUrl),
    style_preset: value(qr.stylePreset),
    version: count,
    created_at: instant,
    updated_at: instant,
    deleted_at: instant,
    margin: value(qr.margin),
    background: value(qr.background),
  },
  qr_pictures: {
    qr_id: plain,
    picture: plain,
    logo: plain,
    logo_width: count,
    logo_height: count,
  },
  qr_counts: { qr_id: plain, scans: count, downloads: count, peak_scans: count },
  scan_days: { qr_id: plain, day: instant, scans: count, summary: json(daySummary) },
} as const satisfies {
  readonly [Table in TransferTable]: {
    readonly [Column in keyof (typeof tables)[Table]['columns']]: ColumnCheck;
  };
};

/** A value that is validated as it is stored. */
function value(schema: z.ZodType): ValueCheck {
  return { parse: (stored) => stored, schema };
}

/** JSON text. */
function json(schema: z.ZodType): ValueCheck {
  return { parse: parseJson, schema };
}

/** Values between separators. An empty text has none. */
function list(separator: string, schema: z.ZodType): ValueCheck {
  return {
    parse: (text) => (text === '' ? [] : String(text).split(separator)),
    schema,
  };
}

function parseJson(text: unknown): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(text));
  } catch {
    throw new SyntaxError('must be JSON');
  }
  if (parsed === null) throw new SyntaxError('must not be the JSON null');
  return parsed;
}
