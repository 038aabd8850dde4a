import type { Selectable } from 'kysely';
import type { Schema } from '../storage/schema.js';

/** A hostname of an organization, active or pending. Instants are milliseconds since 1970. */
export interface Domain {
  readonly id: string;
  readonly organizationId: string;
  /** In lower case and ASCII, without a final dot. */
  readonly hostname: string;
  /** The required value of its TXT record. */
  readonly challenge: string;
  /** Whether links are served on it. */
  readonly isActive: boolean;
  readonly createdAt: number;
  /** The time of the first verification. */
  readonly verifiedAt: number | null;
  /** The time of the last look-up of its TXT record. */
  readonly lastCheckedAt: number | null;
  /** Why the last look-up did not verify it. */
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
  row: Pick<Selectable<Schema['domains']>, (typeof domainColumns)[number]>,
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
