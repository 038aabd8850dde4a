import type { z } from 'zod';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { organizationRecord } from './organization-contract.js';
import type { Organization } from './organization-repository.js';

/** An organization as the API presents it. */
export type OrganizationRecord = z.input<typeof organizationRecord>;

export function toOrganizationRecord(organization: Organization): OrganizationRecord {
  return presentAs(organizationRecord, withIsoTimes(organization));
}
