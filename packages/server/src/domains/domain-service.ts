import { ApiError } from '../contract/api-error.js';
import { FairQueue } from '../fair-queue.js';
import type { IdempotentRequest, IdempotentResult } from '../idempotency/with-idempotency-key.js';
import type { Clock, NewId, RandomBytes, ResolveTxt } from '../ports.js';
import { checkChallenge } from './check-challenge.js';
import type { Domain } from './domain.js';
import {
  type DomainFilter,
  type DomainOutcome,
  type DomainPage,
  type DomainRepository,
  domainNotFound,
} from './domain-repository.js';
import type { OwnHosts } from './own-hosts.js';

export interface DomainServiceOptions {
  readonly domains: Pick<DomainRepository, keyof DomainRepository>;
  readonly listDomains: (organizationId: string, filter: DomainFilter) => Promise<DomainPage>;
  readonly resolveTxt: ResolveTxt;
  readonly ownHosts: OwnHosts;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  /** Called after each committed change, before the response, so that the next visit uses the new state. */
  readonly onChanged: () => void;
}

type Idempotency = IdempotentRequest | undefined;

const challengeBytes = 24;

/** Creates, verifies and deletes custom domains. */
export class DomainService {
  readonly queue = new FairQueue({
    name: 'DNS look-ups',
    concurrency: 32,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 32,
  });
  readonly #options: DomainServiceOptions;

  constructor(options: DomainServiceOptions) {
    this.#options = options;
  }

  async create(
    organizationId: string,
    hostname: string,
    idempotency: Idempotency,
  ): Promise<IdempotentResult<Domain>> {
    const { domains, clock, newId, randomBytes } = this.#options;
    if (this.#options.ownHosts.has(hostname)) {
      throw new ApiError('DOMAIN_INVALID', `${hostname} is this server's own name`, {
        details: [{ path: 'hostname', message: "must not be this server's own name" }],
      });
    }
    const domain: Domain = {
      id: newId(),
      organizationId,
      hostname,
      challenge: `shorty-verification=${Buffer.from(randomBytes(challengeBytes)).toString('base64url')}`,
      isActive: false,
      createdAt: clock(),
      verifiedAt: null,
      lastCheckedAt: null,
      lastError: null,
    };
    return domainIn(await domains.create(domain, idempotency));
  }

  list(organizationId: string, filter: DomainFilter): Promise<DomainPage> {
    return this.#options.listDomains(organizationId, filter);
  }

  async get(organizationId: string, id: string): Promise<Domain> {
    const domain = await this.#options.domains.find(organizationId, id);
    return domainIn({ result: domain ? { domain } : domainNotFound, replayed: false }).result;
  }

  async verify(
    organizationId: string,
    id: string,
    idempotency: Idempotency,
  ): Promise<IdempotentResult<Domain>> {
    const { domains } = this.#options;
    // A repeated request gets the first result, even if DNS has changed.
    const earlier = idempotency && (await domains.findFirstVerification(idempotency));
    return domainIn(earlier ?? (await this.#verify(organizationId, id, idempotency)));
  }

  async delete(organizationId: string, id: string): Promise<Domain> {
    const { domains, clock, onChanged } = this.#options;
    const outcome = await domains.delete(organizationId, id, clock());
    const { result } = domainIn({ result: outcome, replayed: false });
    onChanged();
    return result;
  }

  /** Returns whether links are served on a hostname: an active custom domain or an own host. */
  async isServed(hostname: string): Promise<boolean> {
    if (this.#options.ownHosts.has(hostname)) return true;
    return (await this.#options.domains.findByHostname(hostname))?.isActive === true;
  }

  async #verify(
    organizationId: string,
    id: string,
    idempotency: Idempotency,
  ): Promise<IdempotentResult<DomainOutcome>> {
    const { domains, resolveTxt, clock, onChanged } = this.#options;
    const domain = await this.get(organizationId, id);
    const error = domain.isActive
      ? null
      : await this.queue.run(organizationId, () => checkChallenge(resolveTxt, domain));
    const outcome = await domains.verify(domain, error, clock(), idempotency);
    if (!domain.isActive && 'domain' in outcome.result) onChanged();
    return outcome;
  }
}

/** Returns the domain of an outcome. Throws an ApiError when the change was refused. */
function domainIn({ result, replayed }: IdempotentResult<DomainOutcome>): IdempotentResult<Domain> {
  if ('domain' in result) return { result: result.domain, replayed };
  const { code, message } = result.refusal;
  throw new ApiError(code, message, { replayed });
}
