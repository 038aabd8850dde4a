import { type Kysely, type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { z } from 'zod';
import type { LinkOwner } from '../contract/caller.js';
import { columnOf, fieldsOf, presentAs, withIsoTimes } from '../contract/present.js';
import type { Database, Schema } from '../storage/database.js';
import { allOf, listOf } from '../storage/list-page.js';
import { rowReader } from '../storage/prepared.js';
import { type DomainFilter, type DomainUpdateRequest, domainRecord } from './domain-contract.js';
import { challengeNameOf } from './hostname.js';

/** A hostname of an organization, active or pending. Instants are milliseconds since 1970. */
export type Domain = Readonly<ReturnType<typeof fromRow>>;

export type DomainRecord = z.input<typeof domainRecord>;

/** The settings that lead visitors to another address. */
export const domainUrls = ['rootUrl', 'notFoundUrl', 'expiredUrl'] as const;
export type DomainUrl = (typeof domainUrls)[number];

/** The settings of a domain that apply to its visitors. Null shows a page. */
export type DomainSettings = Readonly<Record<DomainUrl, string | null>> & {
  /** Whether links are found in any case. */
  readonly ignoreCase: boolean;
};

/** The settings of a deleted domain, and of a suspended organization. */
export const noSettings: DomainSettings = {
  rootUrl: null,
  notFoundUrl: null,
  expiredUrl: null,
  ignoreCase: false,
};

/** The documents that connect apps with a domain, by their names under `/.well-known/`. */
export const appLinkDocuments = {
  'apple-app-site-association': 'appleAppSiteAssociation',
  'assetlinks.json': 'assetLinks',
} as const;

export type AppLinkDocument = (typeof appLinkDocuments)[keyof typeof appLinkDocuments];

export async function findDocument(
  db: Kysely<Schema>,
  id: string,
  document: AppLinkDocument,
): Promise<string | null> {
  const row = await db
    .selectFrom('domains')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .select(['apple_app_site_association', 'asset_links'])
    .where('domains.id', '=', id)
    .where('is_active', '=', 1)
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
  return row ? fieldsOf(row)[document] : null;
}

export const listDomains = listOf(
  'domains',
  selectDomains,
  fromRow,
  sql<SqlBool>`deleted_at is null`,
  ({ isActive, hostname }: DomainFilter) =>
    allOf(
      isActive !== undefined && sql`is_active = ${isActive ? 1 : 0}`,
      hostname !== undefined && sql`hostname = ${hostname}`,
    ),
);

/**
 * Returns a function that reads the domain that serves the links of a hostname: the active one, or else the
 * one that was verified last. It may be deleted, because links that have moved keep their keys there. The
 * settings are those that apply to its visitors.
 */
export function hostnameReader(read: Database['read']) {
  const verified = read
    .selectFrom('domains')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .selectAll('domains')
    .select('suspended_at')
    .where('verified_at', 'is not', null)
    // The last row of a hostname is the one that serves its links.
    .orderBy('is_active')
    .orderBy('verified_at');
  const readRow = rowReader(read, verified, ['hostname']);
  return async (hostname: string) => {
    const row = await readRow(hostname);
    if (!row) return undefined;
    const { id, organizationId, isActive, ...domain } = fromRow(row);
    const { rootUrl, notFoundUrl, expiredUrl, ignoreCase } = domain;
    const settings =
      isActive && row.suspended_at === null
        ? { rootUrl, notFoundUrl, expiredUrl, ignoreCase }
        : noSettings;
    return { id, organizationId, isActive, settings };
  };
}

export type FindByHostname = ReturnType<typeof hostnameReader>;

export async function findDomain(
  db: Kysely<Schema>,
  { organizationId }: LinkOwner,
  id: string,
): Promise<Domain | undefined> {
  const row = await selectDomains(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

export function settingColumns(patch: DomainUpdateRequest): Updateable<Schema['domains']> {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [columnOf(name), toColumn(value)]));
}

function toColumn(value: unknown) {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Selects the domains of an organization that are not deleted, for `fromRow`. */
function selectDomains(db: Kysely<Schema>, organizationId: string) {
  return db
    .selectFrom('domains')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null);
}

function fromRow(row: Selectable<Schema['domains']>) {
  const { deletedAt: _, ...domain } = fieldsOf(row);
  return {
    ...domain,
    isActive: row.is_active === 1,
    ignoreCase: row.ignore_case === 1,
    forwardQuery: row.forward_query === 1,
    forwardPath: row.forward_path === 1,
  };
}

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
    appleAppSiteAssociation: appleAppSiteAssociation && JSON.parse(appleAppSiteAssociation),
    assetLinks: assetLinks && JSON.parse(assetLinks),
  });
}
