import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { presentAs, withIsoTimes } from '../contract/present.js';
import type { Schema } from '../storage/schema.js';
import { domainRecord } from './domain-contract.js';
import { challengeNameOf } from './hostname.js';

/** A hostname of an organization, active or pending. Instants are milliseconds since 1970. */
export type Domain = Readonly<ReturnType<typeof fromRow>>;

/** A domain as the API presents it. */
export type DomainRecord = z.input<typeof domainRecord>;

type DomainRow = Awaited<ReturnType<ReturnType<typeof selectDomains>['execute']>>[number];

/** Selects the domains of an organization that are not deleted, for `fromRow`. */
export function selectDomains(db: Kysely<Schema>, organizationId: string) {
  return db
    .selectFrom('domains')
    .select(['id', 'organization_id as organizationId', 'hostname', 'challenge'])
    .select(['is_active as isActive', 'created_at as createdAt', 'verified_at as verifiedAt'])
    .select(['last_checked_at as lastCheckedAt', 'last_error as lastError'])
    .select(['root_url as rootUrl', 'not_found_url as notFoundUrl', 'expired_url as expiredUrl'])
    .select(['ignore_case as ignoreCase', 'forward_query as forwardQuery'])
    .select(['forward_path as forwardPath', 'asset_links as assetLinks'])
    .select(['apple_app_site_association as appleAppSiteAssociation', 'updated_at as updatedAt'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null);
}

export function fromRow(row: DomainRow) {
  return {
    ...row,
    isActive: row.isActive === 1,
    ignoreCase: row.ignoreCase === 1,
    forwardQuery: row.forwardQuery === 1,
    forwardPath: row.forwardPath === 1,
  };
}

/** Returns the record of the API. */
export function toDomainRecord({
  challenge,
  appleAppSiteAssociation,
  assetLinks,
  ...domain
}: Domain): DomainRecord {
  const name = challengeNameOf(domain.hostname);
  const txtRecord = { name, type: 'TXT', value: challenge } as const;
  return presentAs(domainRecord, {
    ...withIsoTimes(domain),
    txtRecord,
    appleAppSiteAssociation: parseOrNull(appleAppSiteAssociation),
    assetLinks: parseOrNull(assetLinks),
  });
}

function parseOrNull(text: string | null) {
  return text === null ? null : JSON.parse(text);
}
