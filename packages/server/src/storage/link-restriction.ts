import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { LinkOwner, LinkRestriction } from '../contract/caller.js';
import { allOf } from './list-page.js';

/** Returns whether a link is one of those that a request may read and write. */
export function isOwnLink(
  { organizationId, restriction }: LinkOwner,
  link: { organizationId: string; domainId: string | null; createdBy: string | null },
): boolean {
  if (link.organizationId !== organizationId) return false;
  const { domainId = null, createdBy = null } = restriction ?? {};
  return (
    (domainId === null || link.domainId === domainId) &&
    (createdBy === null || link.createdBy === createdBy)
  );
}

/** Returns the condition that a row of `urls` is within a restriction. */
export function isWithin(restriction: LinkRestriction | undefined): RawBuilder<SqlBool> {
  const { domainId = null, createdBy = null } = restriction ?? {};
  const condition = allOf(
    domainId !== null && sql`urls.domain_id = ${domainId}`,
    createdBy !== null && sql`urls.created_by = ${createdBy}`,
  );
  return condition ?? sql`true`;
}

/** Returns the condition that a row of `qr_codes` belongs to a link within a restriction. */
export function isOfLinkWithin(restriction: LinkRestriction | undefined): RawBuilder<SqlBool> {
  if (!restriction) return sql`true`;
  return sql`exists (select 1 from urls
    where urls.id = qr_codes.url_id and ${isWithin(restriction)})`;
}
