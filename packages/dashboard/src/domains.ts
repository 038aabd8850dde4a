import type { DomainListQuery } from '@shorty/sdk';
import { useLoaded } from './components/elements.js';
import type { Option } from './components/field.js';
import { api, may } from './session.js';

/** Reads the custom domains as choices: links can be made on those that are active. */
export function useDomains(query: DomainListQuery = {}): readonly Option[] {
  const { value = [] } = useLoaded('domains', async () =>
    may('domains:read') ? api.domains.list(query).toArray({ limit: 100 }) : [],
  );
  return value.map(({ id, hostname }) => [id, hostname]);
}
