import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../contract/api-error.js';
import type { HandlersOf } from '../http/handlers.js';
import type { domainRoutes } from './domain-contract.js';
import type { DomainService } from './domain-service.js';
import type { HostResolver } from './host-resolver.js';
import { hostnameOf } from './hostname.js';
import { toDomainRecord } from './present-domain.js';

export function domainHandlers(
  service: DomainService,
  hosts: Pick<HostResolver, 'find'>,
): HandlersOf<typeof domainRoutes> {
  return {
    async createDomain({ caller, body, idempotency }) {
      const { result, replayed } = await service.create(
        caller.organizationId,
        body.hostname,
        idempotency,
      );
      return { status: 201, replayed, data: toDomainRecord(result) };
    },

    async listDomains({ caller, query }) {
      const { total, domains } = await service.list(caller.organizationId, query);
      return {
        status: 200,
        data: {
          total,
          limit: query.limit,
          offset: query.offset,
          items: domains.map(toDomainRecord),
        },
      };
    },

    async getDomain({ caller, params }) {
      const domain = await service.get(caller.organizationId, params.id);
      return { status: 200, data: toDomainRecord(domain) };
    },

    async verifyDomain({ caller, params, idempotency }) {
      const { result, replayed } = await service.verify(
        caller.organizationId,
        params.id,
        idempotency,
      );
      return { status: 200, replayed, data: toDomainRecord(result) };
    },

    async deleteDomain({ caller, params }) {
      const domain = await service.delete(caller.organizationId, params.id);
      return { status: 200, data: toDomainRecord(domain) };
    },

    async getTlsAllowed({ query, headers }) {
      const domain = hostnameOf(query.domain);
      const isPublic = isForwarded(headers) || (await hosts.find(headers.host)) !== null;
      if (isPublic || !(await service.isServed(domain))) {
        throw new ApiError('NOT_FOUND', 'No links are served on this hostname');
      }
      return { status: 200, body: { domain } };
    },
  };
}

/** Returns whether a proxy has forwarded the request for a client. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}
