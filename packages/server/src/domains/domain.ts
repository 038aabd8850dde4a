import type { Selectable } from 'kysely';
import type { DomainTable } from '../storage/schema.js';

/** A hostname that an organization serves links on, or wants to. Instants are in milliseconds. */
export interface Domain {
  readonly id: string;
  readonly organizationId: string;
  /** In lower case and ASCII, without a final dot. */
  readonly hostname: string;
  /** What its TXT record must say. */
  readonly challenge: string;
  /** Links are served on it. */
  readonly isActive: boolean;
  readonly createdAt: number;
  /** When it was verified for the first time. */
  readonly verifiedAt: number | null;
  /** When its TXT record was last looked up, and why that did not verify it. */
  readonly lastCheckedAt: number | null;
  readonly lastError: string | null;
}

export const domainColumns = [
  'id',
  'organization_id',
  'hostname',
  'challenge',
  'is_active',
  'created_at',
  'verified_at',
  'last_checked_at',
  'last_error',
] as const;

export function domainOf(
  row: Pick<Selectable<DomainTable>, (typeof domainColumns)[number]>,
): Domain {
  return {
    id: row.id,
    organizationId: row.organization_id,
    hostname: row.hostname,
    challenge: row.challenge,
    isActive: row.is_active === 1,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
    lastCheckedAt: row.last_checked_at,
    lastError: row.last_error,
  };
}
