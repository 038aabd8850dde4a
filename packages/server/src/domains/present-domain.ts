import type { z } from 'zod';
import type { Domain } from './domain.js';
import type { domainRecord } from './domain-contract.js';
import { challengeNameOf } from './hostname.js';

export function toDomainRecord(domain: Domain): z.input<typeof domainRecord> {
  return {
    id: domain.id,
    hostname: domain.hostname,
    organizationId: domain.organizationId,
    isActive: domain.isActive,
    txtRecord: {
      name: challengeNameOf(domain.hostname),
      type: 'TXT',
      value: domain.challenge,
    },
    createdAt: instant(domain.createdAt),
    verifiedAt: domain.verifiedAt === null ? null : instant(domain.verifiedAt),
    lastCheckedAt: domain.lastCheckedAt === null ? null : instant(domain.lastCheckedAt),
    lastError: domain.lastError,
  };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
