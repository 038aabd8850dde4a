import type { Shorty } from '@shorty/sdk';
import { UsageError } from './cli-error.js';

/** Returns the id of a domain that a user names by its hostname or its id. */
export async function findDomainId(
  { domains }: Shorty,
  domain: string,
  request: { readonly signal: AbortSignal },
): Promise<string> {
  // No hostname is like an id, because it has a dot.
  if (!domain.includes('.')) return domain;
  const { items } = await domains.list({ hostname: domain }, request);
  const [found] = items;
  if (found) return found.id;
  throw new UsageError(`no domain ${domain}`, 'list them with: shorty domains list');
}
