import type { DomainListQuery } from '@shorty/sdk';
import type { Option } from './components/field.js';
import { api, may } from './session.js';

/** Reads the custom domains as choices. */
export async function readDomains(query: DomainListQuery = {}): Promise<readonly Option[]> {
  if (!may('domains:read')) return [];
  const domains = await api.domains.list(query).toArray({ limit: 100 });
  return domains.map(({ id, hostname }) => [id, hostname]);
}

/** Reads the domains on which links can be made. */
export const readActiveDomains = () => readDomains({ isActive: true });
