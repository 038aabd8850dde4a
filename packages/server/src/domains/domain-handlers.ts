import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, shorten, validationError } from '../contract/api-error.js';
import type { PageText } from '../contract/json-text.js';
import { FairQueue } from '../fair-queue.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { Clock, NewId, RandomBytes, ResolveTxt } from '../ports.js';
import { checkChallenge } from './check-challenge.js';
import { type Domain, type DomainRecord, toDomainRecord } from './domain.js';
import type { DomainFilter, DomainUpdateRequest, domainRoutes } from './domain-contract.js';
import { type DomainOutcome, type DomainRepository, domainNotFound } from './domain-repository.js';
import { domainUrls } from './domain-settings.js';
import type { HostResolver } from './host-resolver.js';
import { hostnameOf } from './hostname.js';
import type { IsOwnHost } from './own-hosts.js';

export interface DomainHandlerOptions {
  readonly domains: Pick<DomainRepository, keyof DomainRepository>;
  readonly listDomains: (
    organizationId: string,
    filter: DomainFilter,
  ) => Promise<PageText<DomainRecord>>;
  /** Is cleared after each committed change, before the response. */
  readonly hosts: Pick<HostResolver, 'find' | 'clear'>;
  readonly lookUps: FairQueue;
  readonly resolveTxt: ResolveTxt;
  readonly isOwnHost: IsOwnHost;
  /** Returns the host that the operator has blocked, to which a URL leads. */
  readonly findBlockedHost: (url: string) => string | undefined;
  /** Returns why a URL that leads to a blocked host is refused. */
  readonly describeBlocked: (blockedHost: string) => string;
  /** Called after each change of settings, before the response. */
  readonly onSettingsChanged: (organizationId: string) => void;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
}

const challengeBytes = 24;

/** Creates the queue of the DNS look-ups. Organizations take turns in it. */
export function createLookUpQueue(): FairQueue {
  return new FairQueue({
    name: 'DNS look-ups',
    concurrency: 32,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 32,
  });
}

/** Creates, verifies, reads and deletes custom domains. */
export function domainHandlers(options: DomainHandlerOptions): HandlersOf<typeof domainRoutes> {
  const { domains, hosts, lookUps, isOwnHost, clock } = options;

  async function getDomain(organizationId: string, id: string): Promise<Domain> {
    const domain = await domains.find(organizationId, id);
    return domainIn(domain ? { domain } : domainNotFound(id));
  }

  /** Throws VALIDATION_FAILED for a URL to which visitors are not led. */
  async function checkUrls(organizationId: string, body: DomainUpdateRequest): Promise<void> {
    for (const path of domainUrls) {
      const url = body[path];
      if (url == null) continue;
      const hostname = hostnameOf(new URL(url).host);
      const isHere = isOwnHost(hostname) || (await domains.hasHostname(organizationId, hostname));
      if (isHere) {
        const message = `must not lead to ${hostname}, whose links this server serves: use the address outside that visitors should see`;
        throw validationError([{ path, message }]);
      }
      const blocked = options.findBlockedHost(url);
      if (blocked === undefined) continue;
      throw validationError([{ path, message: options.describeBlocked(blocked) }]);
    }
  }

  return {
    async createDomain({ caller: { organizationId }, body: { hostname }, write }) {
      if (isOwnHost(hostname)) {
        throw new ApiError(
          'DOMAIN_INVALID',
          `hostname "${hostname}" must not be this server's own name; add another host`,
          {
            details: [{ path: 'hostname', message: "must not be this server's own name" }],
          },
        );
      }
      const random = Buffer.from(options.randomBytes(challengeBytes)).toString('base64url');
      const challenge = `shorty-verification=${random}`;
      const domain = { id: options.newId(), organizationId, hostname, challenge };
      const { result, replayed } = await domains.create(domain, clock(), write);
      return { status: 201, replayed, data: toDomainRecord(domainIn(result, replayed)) };
    },

    async listDomains({ caller: { organizationId }, query }) {
      const { filter, reply } = openPage({ name: 'domains', organizationId, ids: 'text' }, query);
      return reply(await options.listDomains(organizationId, filter));
    },

    async getDomain({ caller, params }) {
      const domain = await getDomain(caller.organizationId, params.id);
      return { status: 200, data: toDomainRecord(domain) };
    },

    async updateDomain({ caller: { organizationId }, params: { id }, body, write, ifMatch }) {
      await checkUrls(organizationId, body);
      try {
        const { result, replayed } = await domains.update(organizationId, id, body, {
          now: clock(),
          write,
          ifMatch,
        });
        return { status: 200, replayed, data: toDomainRecord(domainIn(result, replayed)) };
      } finally {
        // Also after an error, because the commit may have succeeded before the connection failed.
        hosts.clear();
        options.onSettingsChanged(organizationId);
      }
    },

    async verifyDomain({ caller: { organizationId }, params, write }) {
      // A repeated request gets the first result, even if DNS has changed.
      let verification = write && (await domains.findFirstVerification(write));
      if (!verification) {
        const domain = await getDomain(organizationId, params.id);
        const error = domain.isActive
          ? null
          : await lookUps.run(organizationId, () => checkChallenge(options.resolveTxt, domain));
        verification = await domains.verify(domain, error, clock(), write);
        if (!domain.isActive && 'domain' in verification.result) hosts.clear();
      }
      const { result, replayed } = verification;
      return { status: 200, replayed, data: toDomainRecord(domainIn(result, replayed)) };
    },

    async deleteDomain({ caller: { organizationId }, params: { id }, write, ifMatch }) {
      const change = { now: clock(), write, ifMatch };
      const { result, replayed } = await domains.delete(organizationId, id, change);
      hosts.clear();
      return { status: 200, replayed, data: toDomainRecord(domainIn(result, replayed)) };
    },

    async getTlsAllowed({ query, headers }) {
      const domain = hostnameOf(query.domain);
      const isPublic = isForwarded(headers) || (await hosts.find(headers.host)) !== null;
      const isServed = async () =>
        isOwnHost(domain) || (await domains.findByHostname(domain))?.isActive === true;
      if (isPublic || !(await isServed())) {
        throw new ApiError(
          'NOT_FOUND',
          `No links are served on the domain "${shorten(query.domain)}"`,
        );
      }
      return { status: 200, body: { domain } };
    },
  };
}

/** Returns the domain of an outcome. Throws an ApiError when the change was refused. */
function domainIn(outcome: DomainOutcome, replayed = false): Domain {
  if ('domain' in outcome) return outcome.domain;
  const { code, message } = outcome.refusal;
  throw new ApiError(code, message, { replayed });
}

/** Returns whether a proxy has forwarded the request for a client. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}
