import type { ServerResponse } from 'node:http';

export interface VisitedLink {
  readonly organizationId: string;
  readonly urlId: number;
  readonly shortCode: string;
}

const links = new WeakMap<ServerResponse, VisitedLink>();

/** Remembers the link that a response belongs to, for the access log. */
export function noteLink(response: ServerResponse, link: VisitedLink): void {
  links.set(response, link);
}

export function linkOf(response: ServerResponse): VisitedLink | undefined {
  return links.get(response);
}

/** Returns the organization of a link or of an authenticated request. Undefined for other requests. */
export function organizationOf(response: ServerResponse): string | undefined {
  const { organizationId } = (response as { locals?: { organizationId?: string } }).locals ?? {};
  return links.get(response)?.organizationId ?? organizationId;
}
